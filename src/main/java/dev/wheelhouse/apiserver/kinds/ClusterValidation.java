package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** The rules of namespaces, storage and Events (upstream: {@code pkg/apis/core/validation}, {@code pkg/apis/storage/validation}). */
final class ClusterValidation {
    private ClusterValidation() {}

    static void volumeClaim(ObjectNode claim, Problems problems) {
        JsonNode spec = claim.path("spec");
        if (spec.path("accessModes").isEmpty()) {
            problems.required("spec.accessModes", "at least 1 access mode is required");
        }
        for (JsonNode mode : spec.path("accessModes")) {
            problems.oneOf("spec.accessModes", mode.asString(""), "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                    "ReadWriteOncePod");
        }
        String storage = Json.text(spec, "resources", "requests", "storage");
        BigDecimal size = Quantities.parse(storage);
        if (size == null) {
            problems.required("spec.resources[storage]");
        } else if (size.signum() <= 0) {
            problems.invalid("spec.resources[storage]", storage, "must be greater than zero");
        }
        String storageClass = Json.text(spec, "storageClassName");
        if (!storageClass.isEmpty()) {
            problems.invalid("spec.storageClassName", storageClass, Formats.dnsSubdomain(storageClass));
        }
        String mode = Json.text(spec, "volumeMode");
        if (!mode.isEmpty()) {
            problems.oneOf("spec.volumeMode", mode, "Block", "Filesystem");
        }
    }

    static void volumeClaimUpdate(ObjectNode claim, ObjectNode old, Problems problems) {
        volumeClaim(claim, problems);
        ObjectNode spec = mutableOut(claim);
        ObjectNode before = mutableOut(old);
        if (Json.text(before, "volumeName").isEmpty()) {
            spec.remove("volumeName");
            before.remove("volumeName");
        }
        if (Json.at(before, "storageClassName") == null) {
            spec.remove("storageClassName");
        }
        if (!spec.equals(before)) {
            problems.forbidden("spec", "spec is immutable after creation except resources.requests and"
                    + " volumeAttributesClassName for bound claims\n");
        }
        BigDecimal now = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        BigDecimal then = Quantities.parse(Json.text(old, "spec", "resources", "requests", "storage"));
        if (now != null && then != null && now.compareTo(then) < 0) {
            problems.forbidden("spec.resources.requests.storage",
                    "field can not be less than status.capacity");
        }
    }

    private static ObjectNode mutableOut(ObjectNode claim) {
        ObjectNode spec = ((ObjectNode) claim.path("spec")).deepCopy();
        spec.remove(List.of("resources", "volumeAttributesClassName"));
        return spec;
    }

    static void storageClassUpdate(ObjectNode storageClass, ObjectNode old, Problems problems) {
        if (!storageClass.path("parameters").equals(old.path("parameters"))) {
            problems.forbidden("parameters", "updates to parameters are forbidden.");
        }
        if (!storageClass.path("provisioner").equals(old.path("provisioner"))) {
            problems.forbidden("provisioner", "updates to provisioner are forbidden.");
        }
        problems.immutable("reclaimPolicy", storageClass.get("reclaimPolicy"), old.get("reclaimPolicy"));
        problems.immutable("volumeBindingMode", storageClass.get("volumeBindingMode"), old.get("volumeBindingMode"));
    }
}
