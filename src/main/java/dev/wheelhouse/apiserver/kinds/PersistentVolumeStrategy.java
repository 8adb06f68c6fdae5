package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

/** Persistent volumes. Their source never changes (upstream: {@code pkg/registry/core/persistentvolume}). */
final class PersistentVolumeStrategy extends Strategy {
    /** The fields of a specification that are not sources. Each other field is a source, and a volume has one. */
    private static final Set<String> NO_SOURCES = Set.of("accessModes", "capacity", "claimRef", "mountOptions",
            "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName",
            "volumeMode");

    private static final String SINCE = "lastPhaseTransitionTime";

    PersistentVolumeStrategy() {
        super("", "PersistentVolume",
                Map.of("phase", VolumeRules::phase, "storageClass", VolumeRules::storageClass, "claim",
                        PersistentVolumeStrategy::claim, "accessModes",
                        o -> VolumeRules.accessModes(o, "spec", "accessModes")));
    }

    private static String claim(Item volume) {
        return volume.has("spec", "claimRef")
                ? volume.text("spec", "claimRef", "namespace") + "/" + volume.text("spec", "claimRef", "name")
                : "";
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending").put(SINCE, Meta.time(state.clock().now()));
    }

    /** Notes the time of a change of the phase, unless the writer sets it. */
    @Override
    protected void updateStatus(ObjectNode volume, ObjectNode old, ClusterState state) {
        String since = Json.text(volume, "status", SINCE);
        String before = Json.text(old, "status", SINCE);
        boolean changed = !Json.text(volume, "status", "phase").equals(Json.text(old, "status", "phase"));
        if (changed && (since.isEmpty() || since.equals(before))) {
            Json.child(volume, "status").put(SINCE, Meta.time(state.clock().now()));
        } else if (!changed && since.isEmpty() && !before.isEmpty()) {
            Json.child(volume, "status").put(SINCE, before);
        }
    }

    private static ObjectNode source(JsonNode full) {
        ObjectNode spec = ((ObjectNode) full).deepCopy();
        spec.remove(NO_SOURCES);
        return spec;
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("onlyStorage", PersistentVolumeStrategy::onlyStorage);
        checks.put("capacity", PersistentVolumeStrategy::capacity);
        checks.put("oneSource", PersistentVolumeStrategy::oneSource);
        checks.put("noRecyclingOfRoot", PersistentVolumeStrategy::noRecyclingOfRoot);
        checks.put("sourceStays", PersistentVolumeStrategy::sourceStays);
        checks.put("notUnset", PersistentVolumeStrategy::notUnset);
    }

    private static void onlyStorage(Subject capacity) {
        if (capacity.value().size() > 1 || !capacity.value().has("storage")) {
            capacity.problems().notSupported(capacity.path(), capacity.value(), "storage");
        }
    }

    private static void capacity(Subject size) {
        BigDecimal value = Quantities.parse(size.text());
        if (value != null && value.signum() < 0) {
            size.problems().invalid(size.path(), value.setScale(0, RoundingMode.UP).longValue(),
                    "must be a valid resource quantity");
        }
        if (value != null && value.signum() <= 0) {
            size.problems().invalid(size.path(), size.text(), "must be greater than zero");
        }
    }

    private static void oneSource(Subject spec) {
        long sources = spec.value().propertyNames().stream().filter(name -> !NO_SOURCES.contains(name)).count();
        if (sources == 0) {
            spec.problems().required(spec.path(), "must specify a volume type");
        } else if (sources > 1) {
            spec.problems().forbidden(spec.path(), "may not specify more than 1 volume type");
        }
    }

    private static void noRecyclingOfRoot(Subject spec) {
        String path = Json.text(spec.value(), "hostPath", "path");
        if (Json.text(spec.value(), "persistentVolumeReclaimPolicy").equals("Recycle") && path.startsWith("/")
                && Set.of("", ".", "..").containsAll(List.of(path.split("/", -1)))) {
            spec.problems().forbidden("spec.persistentVolumeReclaimPolicy",
                    "may not be 'recycle' for a hostPath mount of '/'");
        }
    }

    private static void sourceStays(Subject spec) {
        if (!source(spec.value()).equals(source(spec.old()))) {
            spec.problems().forbidden("spec.persistentvolumesource",
                    "spec.persistentvolumesource is immutable after creation\n");
        }
    }

    private static void notUnset(Subject name) {
        if (name.value().isMissingNode() && !name.old().isMissingNode()) {
            name.problems().forbidden(name.path(), "update from non-nil value to nil is forbidden");
        }
    }
}
