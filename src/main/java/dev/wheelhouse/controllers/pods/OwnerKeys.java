package dev.wheelhouse.controllers.pods;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/** Adds the key of an object's owner to a queue when the object changes. */
public class OwnerKeys<T extends KubernetesObject, C extends KubernetesObject> extends OwnedHandler<T, C> {
    private final WorkQueue<ObjectKey> queue;

    public OwnerKeys(PodOwners<T> owners, WorkQueue<ObjectKey> queue) {
        super(owners);
        this.queue = queue;
    }

    @Override
    protected void added(T owner, C object, Priority priority) {
        queue.add(ObjectKey.of(owner), priority);
    }

    @Override
    protected void updated(T owner, C before, C after) {
        queue.add(ObjectKey.of(owner));
    }

    @Override
    protected void deleted(T owner, C object, boolean gone, Priority priority) {
        queue.add(ObjectKey.of(owner), priority);
    }

    @Override
    protected void adoptable(T owner, C object, Priority priority) {
        queue.add(ObjectKey.of(owner), priority);
    }
}
