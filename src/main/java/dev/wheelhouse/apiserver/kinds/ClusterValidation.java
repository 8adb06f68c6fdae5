package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** The rules of namespaces, storage and Events (upstream: {@code pkg/apis/core/validation}, {@code pkg/apis/storage/validation}). */
final class ClusterValidation {
    private ClusterValidation() {}

    static void namespace(ObjectNode namespace, Problems problems) {
        for (JsonNode finalizer : namespace.path("spec").path("finalizers")) {
            String name = finalizer.asString("");
            problems.invalid("spec.finalizers", name, Formats.qualifiedName(name));
            if (!name.contains("/") && !List.of("kubernetes", "orphan", "foregroundDeletion").contains(name)) {
                problems.invalid("spec.finalizers", name,
                        "name is neither a standard finalizer name nor is it fully qualified");
            }
        }
    }

    static void node(ObjectNode node, Problems problems) {
        JsonNode spec = node.path("spec");
        Set<String> seen = new HashSet<>();
        int i = 0;
        for (JsonNode taint : spec.path("taints")) {
            String at = Problems.at("metadata.taints", i++);
            String key = Json.text(taint, "key");
            problems.invalid(at + ".key", key, Formats.qualifiedName(key));
            String value = Json.text(taint, "value");
            problems.invalid(at + ".value", value, Formats.labelValue(value));
            String effect = Json.text(taint, "effect");
            if (effect.isEmpty()) {
                problems.required(at + ".effect");
            } else if (!List.of("NoSchedule", "PreferNoSchedule", "NoExecute").contains(effect)) {
                problems.notSupported(at + ".effect", effect, "NoSchedule", "PreferNoSchedule", "NoExecute");
            }
            if (!seen.add(key + " " + effect)) {
                problems.duplicate(at, "\"" + key + ":" + effect + "\"");
            }
        }
        i = 0;
        for (JsonNode range : spec.path("podCIDRs")) {
            problems.invalid(Problems.at("spec.podCIDRs", i++), range.asString(""),
                    Formats.cidr(range.asString("")));
        }
    }

    static void nodeUpdate(ObjectNode node, ObjectNode old, Problems problems) {
        node(node, problems);
        JsonNode now = node.path("spec");
        JsonNode before = old.path("spec");
        if (!before.path("podCIDRs").isEmpty() && !before.path("podCIDRs").equals(now.path("podCIDRs"))) {
            problems.forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
        }
        String provider = Json.text(before, "providerID");
        if (!provider.isEmpty() && !provider.equals(Json.text(now, "providerID"))) {
            problems.forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid");
        }
    }

    /** Events of the old form, without {@code eventTime}: they are in the namespace of what they are about. */
    static void event(ObjectNode event, Problems problems) {
        String namespace = Json.text(event, "metadata", "namespace");
        String about = Json.text(event, "involvedObject", "namespace");
        boolean agree = about.isEmpty() ? namespace.equals("default") : about.equals(namespace);
        if (Json.at(event, "eventTime") == null && !agree) {
            problems.invalid("involvedObject.namespace", about, "does not match event.namespace");
        }
    }

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
}
