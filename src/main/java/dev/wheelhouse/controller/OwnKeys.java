package dev.wheelhouse.controller;

import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Adds the key of each object to a queue when the object appears, changes or goes. Objects of the initial list and of
 * resyncs get the low priority, so that they do not delay live changes.
 */
public class OwnKeys<T extends KubernetesObject> implements ResourceEventHandler<T> {
    private final WorkQueue<ObjectKey> queue;

    public OwnKeys(WorkQueue<ObjectKey> queue) {
        this.queue = queue;
    }

    @Override
    public void onAdd(T object, boolean initial) {
        queue.add(ObjectKey.of(object), initial ? Priority.BACKGROUND : Priority.LIVE);
    }

    @Override
    public void onUpdate(T before, T after) {
        boolean resync = Objects.equals(before.getMetadata().getResourceVersion(),
                after.getMetadata().getResourceVersion());
        queue.add(ObjectKey.of(after), resync ? Priority.BACKGROUND : Priority.LIVE);
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
        queue.add(ObjectKey.of(object));
    }
}
