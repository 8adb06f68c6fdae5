package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.AffinityValidation;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** The rules of volumes (upstream: {@code pkg/apis/core/validation}). */
final class StorageValidation {
    private static final Set<String> NO_SOURCES = Set.of("accessModes", "capacity", "claimRef", "mountOptions",
            "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName",
            "volumeMode");

    private StorageValidation() {}

    static void volume(ObjectNode volume, Problems problems) {
        JsonNode spec = volume.path("spec");
        if (spec.path("accessModes").isEmpty()) {
            problems.required("spec.accessModes");
        }
        for (JsonNode mode : spec.path("accessModes")) {
            problems.oneOf("spec.accessModes", mode.asString(""), "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                    "ReadWriteOncePod");
        }
        if (spec.path("capacity").isEmpty()) {
            problems.required("spec.capacity");
        } else if (spec.path("capacity").size() > 1 || !spec.path("capacity").has("storage")) {
            problems.notSupported("spec.capacity", spec.path("capacity"), "storage");
        }
        for (Map.Entry<String, JsonNode> size : spec.path("capacity").properties()) {
            BigDecimal value = Quantities.parse(size.getValue().asString(""));
            if (value != null && value.signum() <= 0) {
                problems.invalid(Problems.key("spec.capacity", size.getKey()), size.getValue().asString(""),
                        "must be greater than zero");
            }
        }
        String reclaim = Json.text(spec, "persistentVolumeReclaimPolicy");
        if (!reclaim.isEmpty()) {
            problems.oneOf("spec.persistentVolumeReclaimPolicy", reclaim, "Delete", "Recycle", "Retain");
        }
        long sources = spec.propertyNames().stream().filter(name -> !NO_SOURCES.contains(name)).count();
        if (sources == 0) {
            problems.required("spec", "must specify a volume type");
        } else if (sources > 1) {
            problems.forbidden("spec", "may not specify more than 1 volume type");
        }
        if (spec.has("hostPath") && Json.text(spec, "hostPath", "path").isEmpty()) {
            problems.required("spec.hostPath.path");
        }
        String storageClass = Json.text(spec, "storageClassName");
        if (!storageClass.isEmpty()) {
            problems.invalid("spec.storageClassName", storageClass, Formats.dnsSubdomain(storageClass));
        }
        String mode = Json.text(spec, "volumeMode");
        if (!mode.isEmpty()) {
            problems.oneOf("spec.volumeMode", mode, "Block", "Filesystem");
        }
        if (spec.has("nodeAffinity")) {
            JsonNode required = spec.path("nodeAffinity").get("required");
            if (required == null) {
                problems.required("spec.nodeAffinity.required", "must specify required node constraints");
            } else {
                AffinityValidation.nodeSelector(required, "spec.nodeAffinity.required", problems);
            }
        }
    }

    static void volumeUpdate(ObjectNode volume, ObjectNode old, Problems problems) {
        volume(volume, problems);
        ObjectNode now = source(volume);
        if (!now.equals(source(old))) {
            problems.forbidden("spec.persistentvolumesource",
                    "spec.persistentvolumesource is immutable after creation\n");
        }
        problems.immutable("spec.volumeMode", volume.path("spec").get("volumeMode"),
                old.path("spec").get("volumeMode"));
        if (old.path("spec").has("nodeAffinity")
                && !old.path("spec").path("nodeAffinity").equals(volume.path("spec").path("nodeAffinity"))) {
            problems.invalid("nodeAffinity", volume.path("spec").get("nodeAffinity"), "field is immutable, except for "
                    + "updating from beta label to GA");
        }
    }

    private static ObjectNode source(ObjectNode volume) {
        ObjectNode spec = ((ObjectNode) volume.path("spec")).deepCopy();
        spec.remove(NO_SOURCES);
        return spec;
    }
}
