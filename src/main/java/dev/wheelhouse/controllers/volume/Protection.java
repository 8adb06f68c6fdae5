package dev.wheelhouse.controllers.volume;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Change;

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
        return Metadata.finalizers(object).contains(finalizer);
    }

    /** Whether the object misses the finalizer, waits for the end of its use, or is gone. */
    boolean concerns(Change<? extends KubernetesObject> change) {
        return change.isDeletion() || isMissing(change.object()) || keepsFromDeletion(change.object());
    }

    /**
     * Adds or removes the finalizer. A pure function.
     *
     * @param used whether something uses the object; matters only if {@link #keepsFromDeletion}
     */
    List<Action> decide(KubernetesObject object, boolean used) {
        List<String> finalizers = new ArrayList<>(Metadata.finalizers(object));
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
