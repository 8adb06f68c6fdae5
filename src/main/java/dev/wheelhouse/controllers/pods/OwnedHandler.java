package dev.wheelhouse.controllers.pods;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;

/**
 * Tells the owner of an object, such as a pod, about each change of the object: its controller, its former controller,
 * or every owner that could adopt it (upstream: {@code addPod}, {@code updatePod} and {@code deletePod} of the workload
 * controllers, such as {@code pkg/controller/replicaset/replica_set.go}). A resync and a repeated state tell nobody.
 *
 * @param <T> the class of the owners
 * @param <C> the class of the owned objects
 */
public abstract class OwnedHandler<T extends KubernetesObject, C extends KubernetesObject>
        implements
            ResourceEventHandler<C> {
    private final PodOwners<T> owners;

    protected OwnedHandler(PodOwners<T> owners) {
        this.owners = owners;
    }

    /** An object that {@code owner} controls appeared, alive. */
    protected abstract void added(T owner, C object, Priority priority);

    /** An object that {@code owner} controls now, or did before this change, changed and is not being deleted. */
    protected abstract void updated(T owner, C before, C after);

    /**
     * An object that {@code owner} controls is being deleted, which may be told several times, or is gone.
     *
     * @param gone whether the object no longer exists
     */
    protected abstract void deleted(T owner, C object, boolean gone, Priority priority);

    /** {@code owner} may adopt the object, which has no controller. */
    protected abstract void adoptable(T owner, C object, Priority priority);

    /**
     * An object without a controller appeared or changed; or an object is being deleted or gone whose controller does
     * not exist or is of another type. By default does nothing.
     */
    protected void unowned(C object) {}

    @Override
    public final void onAdd(C object, boolean initial) {
        Priority priority = initial ? Priority.BACKGROUND : Priority.LIVE;
        if (isDeleting(object)) {
            tellDeleted(object, false, priority);
            return;
        }
        V1OwnerReference reference = OwnerReferences.controllerOf(object.getMetadata());
        if (reference == null) {
            unowned(object);
            tellAdoptable(object, priority);
            return;
        }
        T owner = resolve(object, reference);
        if (owner != null) {
            added(owner, object, priority);
        }
    }

    @Override
    public final void onUpdate(C before, C after) {
        if (Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
            return;
        }
        V1OwnerReference oldReference = OwnerReferences.controllerOf(before.getMetadata());
        V1OwnerReference newReference = OwnerReferences.controllerOf(after.getMetadata());
        boolean ownerChanged = !Objects.equals(oldReference, newReference);
        if (isDeleting(after)) {
            tellDeleted(after, false, Priority.LIVE);
            if (ownerChanged) {
                tellDeleted(before, false, Priority.LIVE);
            }
            return;
        }
        T oldOwner = ownerChanged && oldReference != null ? resolve(before, oldReference) : null;
        if (oldOwner != null) {
            updated(oldOwner, before, after);
        }
        if (newReference == null) {
            unowned(after);
            if (ownerChanged || !Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels())) {
                tellAdoptable(after, Priority.LIVE);
            }
            return;
        }
        T owner = resolve(after, newReference);
        if (owner != null) {
            updated(owner, before, after);
        }
    }

    @Override
    public final void onDelete(C object, boolean finalStateUnknown) {
        tellDeleted(object, true, Priority.LIVE);
    }

    private static boolean isDeleting(KubernetesObject object) {
        return object.getMetadata().getDeletionTimestamp() != null;
    }

    private void tellDeleted(C object, boolean gone, Priority priority) {
        V1OwnerReference reference = OwnerReferences.controllerOf(object.getMetadata());
        T owner = reference == null ? null : resolve(object, reference);
        if (owner != null) {
            deleted(owner, object, gone, priority);
        } else {
            unowned(object);
        }
    }

    private void tellAdoptable(C object, Priority priority) {
        for (T owner : owners.list(object.getMetadata().getNamespace())) {
            if (selects(owners.selector(owner), object)) {
                adoptable(owner, object, priority);
            }
        }
    }

    private static boolean selects(@Nullable V1LabelSelector labels, KubernetesObject object) {
        try {
            LabelSelector selector = LabelSelector.of(labels);
            return labels != null && !selector.isEverything() && selector.matches(object.getMetadata().getLabels());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The owner that a reference names; null if there is none with that name and UID. */
    private @Nullable T resolve(C object, V1OwnerReference reference) {
        if (!owners.type().kind().equals(reference.getKind())) {
            return null;
        }
        T owner = owners.get(ObjectKey.of(object.getMetadata().getNamespace(), reference.getName()));
        return owner != null && Objects.equals(owner.getMetadata().getUid(), reference.getUid()) ? owner : null;
    }
}
