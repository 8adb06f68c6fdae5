package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

/** Persistent volumes. Their source never changes (upstream: {@code pkg/registry/core/persistentvolume}). */
final class PersistentVolumeStrategy extends Strategy {
    /** The fields of a specification that are not sources. Each other field is a source, and a volume has one. */
    private static final Set<String> NO_SOURCES = Set.of("accessModes", "capacity", "claimRef", "mountOptions",
            "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName",
            "volumeMode");

    private static final String EXPAND_SECRET = "controllerExpandSecretRef";
    private static final String TERMS = "/required/nodeSelectorTerms";
    /** The old names of labels, with their new ones. */
    private static final Map<String, String> RENAMED = Map.of(
            "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region",
            "beta.kubernetes.io/os", "kubernetes.io/os", "beta.kubernetes.io/arch", "kubernetes.io/arch",
            "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type");
    private static final String SINCE = "lastPhaseTransitionTime";

    PersistentVolumeStrategy() {
        super("", "PersistentVolume",
                Map.of("phase", VolumeRules::phase, "storageClass", VolumeRules::storageClass, "accessModes",
                        o -> VolumeRules.accessModes(o, "spec", "accessModes")));
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

    static void onlyStorage(Subject capacity) {
        JsonNode amounts = capacity.value();
        if (amounts.size() > 1 || !amounts.has("storage")) {
            capacity.problems().notSupported(capacity.path(), amounts.isObject() ? amounts : NullNode.getInstance(),
                    "storage");
        }
    }

    static void basicAmount(Subject amount) {
        BigDecimal value = Quantities.parse(amount.text());
        if (value != null && value.signum() < 0) {
            amount.problems().invalid(amount.path(), value.setScale(0, RoundingMode.UP).longValue(),
                    "must be a valid resource quantity");
        }
    }

    static void capacity(Subject size) {
        basicAmount(size);
        BigDecimal value = Quantities.parse(size.text());
        if (value != null && value.signum() <= 0) {
            size.problems().invalid(size.path(), size.text(), "must be greater than zero");
        }
    }

    static void noRecyclingOfRoot(Subject spec) {
        String path = Json.text(spec.value(), "hostPath", "path");
        if (Json.text(spec.value(), "persistentVolumeReclaimPolicy").equals("Recycle") && path.startsWith("/")
                && isRoot(path)) {
            spec.problems().forbidden("spec.persistentVolumeReclaimPolicy",
                    "may not be 'recycle' for a hostPath mount of '/'");
        }
    }

    private static boolean isRoot(String path) {
        int depth = 0;
        for (String step : path.split("/", -1)) {
            depth += step.equals("..") ? depth == 0 ? 0 : -1 : step.isEmpty() || step.equals(".") ? 0 : 1;
        }
        return depth == 0;
    }

    static void sourceStays(Subject spec) {
        ObjectNode now = source(spec.value());
        ObjectNode old = source(spec.old());
        if (old.get("csi") instanceof ObjectNode before && !before.has(EXPAND_SECRET)
                && now.get("csi") instanceof ObjectNode csi) {
            csi.remove(EXPAND_SECRET);
        }
        if (!now.equals(old)) {
            spec.problems().forbidden("spec.persistentvolumesource",
                    "spec.persistentvolumesource is immutable after creation\n");
        }
    }

    /** The nodes of a volume stay, except that a label's old name may become its new one. */
    static void affinityStays(Subject spec) {
        JsonNode now = spec.value().path("nodeAffinity");
        JsonNode before = spec.old().path("nodeAffinity").deepCopy();
        JsonNode terms = now.at(TERMS);
        for (int i = 0; i < terms.size(); i++) {
            for (String list : List.of("matchExpressions", "matchFields")) {
                JsonNode labels = terms.get(i).path(list);
                for (int k = 0; k < labels.size(); k++) {
                    String name = Json.text(labels.get(k), "key");
                    if (before.at(TERMS).path(i).path(list).path(k) instanceof ObjectNode old
                            && name.equals(RENAMED.get(Json.text(old, "key")))) {
                        old.put("key", name);
                    }
                }
            }
        }
        if (!now.equals(before)) {
            spec.problems().invalid("nodeAffinity", now.isMissingNode() ? null : now,
                    "field is immutable, except for updating from beta label to GA");
        }
    }

}
