package dev.wheelhouse.apiserver.admission;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.facts.Quantities;

/**
 * Gives new volumes, claims and VolumeAttributesClasses the finalizers that keep them while they are used, and lets
 * only those claims grow whose class allows it (upstream: {@code
 * plugin/pkg/admission/storage/storageobjectinuseprotection}, {@code
 * plugin/pkg/admission/storage/persistentvolume/resize}).
 */
record VolumeUse(ObjectStore store) implements AdmissionPlugin {
    private static final Map<ResourceType, String> FINALIZERS = Map.of(
            ResourceType.PERSISTENT_VOLUMES, "kubernetes.io/pv-protection",
            ResourceType.PERSISTENT_VOLUME_CLAIMS, "kubernetes.io/pvc-protection",
            ResourceType.VOLUME_ATTRIBUTES_CLASSES, "kubernetes.io/vac-protection");

    @Override
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        String finalizer = old == null ? FINALIZERS.get(type) : null;
        if (finalizer == null) {
            return;
        }
        List<String> present = Meta.finalizers(object);
        if (!present.contains(finalizer)) {
            Meta.setFinalizers(object, Stream.concat(present.stream(), Stream.of(finalizer)).toList());
        }
    }

    @Override
    public void validate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (old == null || !type.equals(ResourceType.PERSISTENT_VOLUME_CLAIMS)
                || size(object).compareTo(size(old)) <= 0) {
            return;
        }
        if (!Json.text(old, "status", "phase").equals("Bound")) {
            throw refused(object, "Only bound persistent volume claims can be expanded");
        }
        if (!mayGrow(Json.text(object, "spec", "storageClassName"), Json.text(old, "spec", "storageClassName"))) {
            throw refused(object, "only dynamically provisioned pvc can be resized and the storageclass that "
                    + "provisions the pvc must support resize");
        }
    }

    private static StatusException refused(ObjectNode claim, String why) {
        return Errors.forbidden(ResourceType.PERSISTENT_VOLUME_CLAIMS, claim, why);
    }

    private static BigDecimal size(ObjectNode claim) {
        BigDecimal size = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        return size == null ? BigDecimal.ZERO : size;
    }

    private boolean mayGrow(String storageClass, String before) {
        StoredObject found = storageClass.isEmpty() || !storageClass.equals(before)
                ? null
                : store.get(ResourceType.STORAGE_CLASSES.groupResource(), "", storageClass);
        return found != null && found.tree().path("allowVolumeExpansion").asBoolean(false);
    }
}
