package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * A finalizer that keeps objects while something uses them (upstream: {@code pkg/controller/volume/protectionutil}).
 */
record Protection(ResourceType type, String finalizer) {
    /** Whether an object waits for the end of its use. */
    boolean keepsFromDeletion(KubernetesObject object) {
        return object.getMetadata().getDeletionTimestamp() != null && has(object);
    }

    /** Whether an object was created without the finalizer. */
    boolean isMissing(KubernetesObject object) {
        return object.getMetadata().getDeletionTimestamp() == null && !has(object);
    }

    private boolean has(KubernetesObject object) {
        return finalizers(object).contains(finalizer);
    }

    private static List<String> finalizers(KubernetesObject object) {
        List<String> finalizers = object.getMetadata().getFinalizers();
        return finalizers == null ? List.of() : finalizers;
    }

    /** Adds the key of each object that misses the finalizer, or that waits for the end of its use. */
    <T extends KubernetesObject> ResourceEventHandler<T> handler(WorkQueue<ObjectKey> queue) {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object, boolean initial) {
                if (isMissing(object) || keepsFromDeletion(object)) {
                    queue.add(ObjectKey.of(object), initial ? Priority.BACKGROUND : Priority.LIVE);
                }
            }

            @Override
            public void onUpdate(T before, T after) {
                onAdd(after, false);
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                queue.add(ObjectKey.of(object));
            }
        };
    }

    /**
     * Adds or removes the finalizer. A pure function.
     *
     * @param used whether something uses the object; matters only if {@link #keepsFromDeletion}
     */
    List<Action> decide(KubernetesObject object, boolean used) {
        List<String> finalizers = new ArrayList<>(finalizers(object));
        if (keepsFromDeletion(object) && !used) {
            finalizers.remove(finalizer);
            return List.of(update(object, finalizers, "nothing uses it any more"));
        }
        if (isMissing(object)) {
            finalizers.add(finalizer);
            return List.of(update(object, finalizers, "it must not be deleted while it is used"));
        }
        return List.of();
    }

    private Action update(KubernetesObject object, List<String> finalizers, String why) {
        KubernetesObject changed = ModelJson.copy(object);
        V1ObjectMeta meta = changed.getMetadata();
        meta.setFinalizers(finalizers);
        return new Action.Update(type, changed, why);
    }
}
