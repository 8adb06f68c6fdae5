package dev.wheelhouse.controllers.pods;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;

/**
 * Tells the owner of a pod about each change of the pod: its controller, its former controller, or every owner that
 * could adopt it (upstream: {@code addPod}, {@code updatePod} and {@code deletePod} of the workload controllers, such
 * as {@code pkg/controller/replicaset/replica_set.go}). A resync and a repeated state tell nobody.
 *
 * @param <T> the class of the owners
 */
public abstract class PodHandler<T extends KubernetesObject> implements ResourceEventHandler<V1Pod> {
    private final PodOwners<T> owners;

    protected PodHandler(PodOwners<T> owners) {
        this.owners = owners;
    }

    /** A pod that {@code owner} controls appeared, alive. */
    protected abstract void added(T owner, V1Pod pod, Priority priority);

    /** A pod that {@code owner} controls now, or did before this change, changed and is not being deleted. */
    protected abstract void updated(T owner, V1Pod before, V1Pod after);

    /**
     * A pod that {@code owner} controls is being deleted, which may be told several times, or is gone.
     *
     * @param gone whether the pod no longer exists
     */
    protected abstract void deleted(T owner, V1Pod pod, boolean gone, Priority priority);

    /** {@code owner} may adopt the pod, which has no controller. */
    protected abstract void adoptable(T owner, V1Pod pod, Priority priority);

    /**
     * A pod without a controller appeared or changed; or a pod is being deleted or gone whose controller does not exist
     * or is of another type. By default does nothing.
     */
    protected void unowned(V1Pod pod) {}

    @Override
    public final void onAdd(V1Pod pod, boolean initial) {
        Priority priority = initial ? Priority.BACKGROUND : Priority.LIVE;
        if (Pods.isDeleting(pod)) {
            tellDeleted(pod, false, priority);
            return;
        }
        V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
        if (reference == null) {
            unowned(pod);
            tellAdoptable(pod, priority);
            return;
        }
        T owner = resolve(pod, reference);
        if (owner != null) {
            added(owner, pod, priority);
        }
    }

    @Override
    public final void onUpdate(V1Pod before, V1Pod after) {
        if (Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
            return;
        }
        V1OwnerReference oldReference = OwnerReferences.controllerOf(before.getMetadata());
        V1OwnerReference newReference = OwnerReferences.controllerOf(after.getMetadata());
        boolean ownerChanged = !Objects.equals(oldReference, newReference);
        if (Pods.isDeleting(after)) {
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
    public final void onDelete(V1Pod pod, boolean finalStateUnknown) {
        tellDeleted(pod, true, Priority.LIVE);
    }

    private void tellDeleted(V1Pod pod, boolean gone, Priority priority) {
        V1OwnerReference reference = OwnerReferences.controllerOf(pod.getMetadata());
        T owner = reference == null ? null : resolve(pod, reference);
        if (owner != null) {
            deleted(owner, pod, gone, priority);
        } else {
            unowned(pod);
        }
    }

    private void tellAdoptable(V1Pod pod, Priority priority) {
        for (T owner : owners.list(pod.getMetadata().getNamespace())) {
            if (selects(owners.selector(owner), pod)) {
                adoptable(owner, pod, priority);
            }
        }
    }

    private static boolean selects(@Nullable V1LabelSelector labels, V1Pod pod) {
        try {
            LabelSelector selector = LabelSelector.of(labels);
            return labels != null && !selector.isEverything() && selector.matches(pod.getMetadata().getLabels());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The owner that a reference names; null if there is none with that name and UID. */
    private @Nullable T resolve(V1Pod pod, V1OwnerReference reference) {
        if (!owners.type().kind().equals(reference.getKind())) {
            return null;
        }
        T owner = owners.get(ObjectKey.of(pod.getMetadata().getNamespace(), reference.getName()));
        return owner != null && Objects.equals(owner.getMetadata().getUid(), reference.getUid()) ? owner : null;
    }
}
