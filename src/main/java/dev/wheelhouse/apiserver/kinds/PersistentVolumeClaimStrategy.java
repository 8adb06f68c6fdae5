package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

/** Claims of persistent volumes (upstream: {@code pkg/registry/core/persistentvolumeclaim}). */
final class PersistentVolumeClaimStrategy extends Strategy {

    PersistentVolumeClaimStrategy() {
        super("", "PersistentVolumeClaim",
                Map.of("phase", VolumeRules::phase, "storageClass", VolumeRules::storageClass,
                        "capacity", o -> bound(o) ? o.scalarOr("0", "status", "capacity", "storage") : "",
                        "accessModes",
                        o -> bound(o) ? VolumeRules.accessModes(o, "status", "accessModes") : ""));
    }

    private static boolean bound(Item claim) {
        return !claim.text("spec", "volumeName").isEmpty();
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending");
        if (object.get("spec") instanceof ObjectNode spec) {
            copySource(spec, "dataSource", "dataSourceRef");
            copySource(spec, "dataSourceRef", "dataSource");
        }
    }

    /** Fills the other field for the origin of the data, unless the origin is in another namespace. */
    private static void copySource(ObjectNode spec, String from, String to) {
        if (spec.get(from) instanceof ObjectNode source && !spec.has(to) && Json.text(source, "namespace").isEmpty()) {
            spec.set(to, source.deepCopy());
        }
    }

    private static void stays(ObjectNode claim, ObjectNode old, Problems problems) {
        String annotation = Json.text(claim, "metadata", "annotations", VolumeRules.CLASS_ANNOTATION);
        if (!annotation.equals(Json.text(old, "metadata", "annotations", VolumeRules.CLASS_ANNOTATION))) {
            problems.invalid("metadata.annotations[" + VolumeRules.CLASS_ANNOTATION + "]", annotation,
                    "field is immutable");
        }
        if (!immutable(claim, claim, old).equals(immutable(old, claim, old))) {
            problems.forbidden("spec", "spec is immutable after creation except resources.requests and"
                    + " volumeAttributesClassName for bound claims\n");
        }
        BigDecimal now = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        BigDecimal then = Quantities.parse(Json.text(old, "spec", "resources", "requests", "storage"));
        BigDecimal shown = Quantities.parse(Json.text(old, "status", "capacity", "storage"));
        if (now != null && then != null && now.compareTo(then) < 0
                && now.compareTo(shown == null ? BigDecimal.ZERO : shown) <= 0) {
            problems.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
        }
        problems.immutable("volumeMode", claim.path("spec").get("volumeMode"), old.path("spec").get("volumeMode"));
        if (Json.at(old, "status", "currentVolumeAttributesClassName") != null
                && Json.at(old, "spec", "volumeAttributesClassName") != null
                && Json.text(claim, "spec", "volumeAttributesClassName").isEmpty()) {
            problems.forbidden("spec.volumeAttributesClassName", "update to "
                    + (Json.at(claim, "spec", "volumeAttributesClassName") == null ? "nil" : "empty string")
                    + " is forbidden when status.currentVolumeAttributesClassName is not nil");
        }
    }

    /**
     * The part of a claim's specification that does not change. Its volume is set once, and so is a class that it was
     * created without. A bound claim may grow and change its attributes.
     */
    private static ObjectNode immutable(ObjectNode subject, ObjectNode claim, ObjectNode old) {
        ObjectNode spec = ((ObjectNode) subject.path("spec")).deepCopy();
        if (Json.text(old, "spec", "volumeName").isEmpty()) {
            spec.remove("volumeName");
        }
        if (Json.at(old, "spec", "storageClassName") == null) {
            spec.remove("storageClassName");
        }
        if (Json.text(claim, "status", "phase").equals("Bound")) {
            spec.remove("volumeAttributesClassName");
            if (spec.path("resources").get("requests") instanceof ObjectNode requests) {
                requests.remove("storage");
            }
        }
        return spec;
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("storageRequest", PersistentVolumeClaimStrategy::storageRequest);
        checks.put("exclusiveMode", VolumeRules::exclusiveMode);
        checks.put("claimStays", s -> stays((ObjectNode) s.value(), (ObjectNode) s.old(), s.problems()));
    }

    private static void storageRequest(Subject spec) {
        String storage = Json.text(spec.value(), "resources", "requests", "storage");
        BigDecimal size = Quantities.parse(storage);
        if (size == null) {
            spec.problems().required(spec.path() + ".resources[storage]");
        } else if (size.signum() <= 0) {
            spec.problems().invalid(spec.path() + ".resources[storage]", storage, "must be greater than zero");
        }
    }
}
