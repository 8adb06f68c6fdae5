package dev.wheelhouse.controllers.service;

import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Adds each Service to a queue when it appears, changes or goes. */
record EveryService(WorkQueue<ObjectKey> queue) implements ResourceEventHandler<V1Service> {
    @Override
    public void onAdd(V1Service service, boolean initial) {
        queue.add(ObjectKey.of(service), initial ? Priority.BACKGROUND : Priority.LIVE);
    }

    @Override
    public void onUpdate(V1Service before, V1Service after) {
        queue.add(ObjectKey.of(after));
    }

    @Override
    public void onDelete(V1Service service, boolean finalStateUnknown) {
        queue.add(ObjectKey.of(service));
    }
}
