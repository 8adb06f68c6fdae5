package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** Claims of persistent volumes (upstream: {@code pkg/registry/core/persistentvolumeclaim}). */
final class PersistentVolumeClaimStrategy extends Strategy {
    private static final String OF_CLASS = ".storageclass.storage.k8s.io/";

    PersistentVolumeClaimStrategy() {
        super("", "PersistentVolumeClaim", Set.of(Trait.RETURNS_DELETED, Trait.COUNTED_BY_NAME), Column.objectName(),
                VolumeRules.PHASE,
                Column.of("Volume", "Volume that the claim is bound to.", o -> o.text("spec", "volumeName")),
                Column.of("Capacity", "Size of the bound volume.",
                        o -> bound(o) ? o.scalarOr("0", "status", "capacity", "storage") : ""),
                Column.of("Access Modes", "Ways in which nodes may mount the bound volume.",
                        o -> bound(o) ? VolumeRules.accessModes(o, "status", "accessModes") : ""),
                VolumeRules.STORAGE_CLASS, VolumeRules.ATTRIBUTES_CLASS, Column.age(), VolumeRules.MODE);
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.PersistentVolumeClaim",
                claim -> set(Json.child(claim, "status"), "phase", "Pending"));
        rules.put("io.k8s.api.core.v1.PersistentVolumeClaimSpec", spec -> set(spec, "volumeMode", "Filesystem"));
    }

    private static boolean bound(Item claim) {
        return !claim.text("spec", "volumeName").isEmpty();
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending");
    }

    @Override
    protected void validate(ObjectNode claim, Problems problems) {
        validateSpec(claim.path("spec"), "spec", problems);
    }

    /** Checks the specification of a claim or of a claim template. */
    static void validateSpec(JsonNode spec, String path, Problems problems) {
        if (spec.path("accessModes").isEmpty()) {
            problems.required(path + ".accessModes", "at least 1 access mode is required");
        }
        VolumeRules.accessModes(spec, path, problems);
        String storage = Json.text(spec, "resources", "requests", "storage");
        BigDecimal size = Quantities.parse(storage);
        if (size == null) {
            problems.required(path + ".resources[storage]");
        } else if (size.signum() <= 0) {
            problems.invalid(path + ".resources[storage]", storage, "must be greater than zero");
        }
        VolumeRules.classAndMode(spec, path, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode claim, ObjectNode old, Problems problems) {
        validate(claim, problems);
        ObjectNode spec = immutable(claim);
        ObjectNode before = immutable(old);
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

    private static ObjectNode immutable(ObjectNode claim) {
        ObjectNode spec = ((ObjectNode) claim.path("spec")).deepCopy();
        spec.remove(List.of("resources", "volumeAttributesClassName"));
        return spec;
    }

    @Override
    protected boolean isLimitedBy(String limit, String resource) {
        return super.isLimitedBy(limit, resource) || limit.equals("requests.storage") || limit.contains(OF_CLASS);
    }

    @Override
    protected void addUsage(ObjectNode claim, Map<String, BigDecimal> usage) {
        BigDecimal storage = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        String storageClass = Json.text(claim, "spec", "storageClassName");
        if (storage != null) {
            usage.put("requests.storage", storage);
        }
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + OF_CLASS + "persistentvolumeclaims", BigDecimal.ONE);
            if (storage != null) {
                usage.put(storageClass + OF_CLASS + "requests.storage", storage);
            }
        }
    }

    /** The one scope of claims selects by the current and the wanted attributes class. */
    @Override
    public boolean isInScope(JsonNode scope, ObjectNode claim) {
        if (!Json.text(scope, "scopeName").equals("VolumeAttributesClass")) {
            return false;
        }
        Set<String> names = new TreeSet<>();
        names.add(Json.text(claim, "spec", "volumeAttributesClassName"));
        names.add(Json.text(claim, "status", "currentVolumeAttributesClassName"));
        names.add(Json.text(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"));
        names.remove("");
        return names.isEmpty()
                ? Scopes.selects(scope, "")
                : names.stream().anyMatch(name -> Scopes.selects(scope, name));
    }
}
