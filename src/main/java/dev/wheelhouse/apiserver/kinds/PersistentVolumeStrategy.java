package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.AffinityValidation;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.VolumeValidation;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Persistent volumes. Their source never changes (upstream: {@code pkg/registry/core/persistentvolume}). */
final class PersistentVolumeStrategy extends Strategy {
    /** The fields of a specification that are not sources. Each other field is a source, and a volume has one. */
    private static final Set<String> NO_SOURCES = Set.of("accessModes", "capacity", "claimRef", "mountOptions",
            "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName",
            "volumeMode");

    private static final String SINCE = "lastPhaseTransitionTime";

    PersistentVolumeStrategy() {
        super("", "PersistentVolume", Set.of(Trait.RETURNS_DELETED), TableColumn.objectName(),
                TableColumn.of("Capacity", "Size of the volume.", o -> o.scalarOr("0", "spec", "capacity", "storage")),
                TableColumn.of("Access Modes", "Ways in which nodes may mount the volume.",
                        o -> VolumeRules.accessModes(o, "spec", "accessModes")),
                TableColumn.of("Reclaim Policy", "Treatment of the volume after the deletion of its claim.",
                        o -> o.text("spec", "persistentVolumeReclaimPolicy")),
                VolumeRules.PHASE,
                TableColumn.of("Claim", "Claim that the volume is bound to.", PersistentVolumeStrategy::claim),
                VolumeRules.STORAGE_CLASS, VolumeRules.ATTRIBUTES_CLASS,
                TableColumn.of("Reason", "Reason of a failure.", o -> o.text("status", "reason")),
                TableColumn.age(), VolumeRules.MODE);
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.core.v1.PersistentVolume", volume -> {
            set(Json.child(volume, "status"), "phase", "Pending");
            set(Json.child(volume, "spec"), "persistentVolumeReclaimPolicy", "Retain");
            set(Json.child(volume, "spec"), "volumeMode", "Filesystem");
        });
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

    @Override
    protected void validate(ObjectNode volume, Problems problems) {
        JsonNode spec = volume.path("spec");
        problems.filled(spec, "spec", "accessModes");
        VolumeRules.accessModes(spec, "spec", problems);
        if (spec.path("capacity").isEmpty()) {
            problems.required("spec.capacity");
        } else if (spec.path("capacity").size() > 1 || !spec.path("capacity").has("storage")) {
            problems.notSupported("spec.capacity", spec.path("capacity"), "storage");
        }
        for (Map.Entry<String, JsonNode> size : spec.path("capacity").properties()) {
            BigDecimal value = Quantities.parse(size.getValue().asString(""));
            String at = Problems.key("spec.capacity", size.getKey());
            if (value != null && value.signum() < 0) {
                problems.invalid(at, value.setScale(0, RoundingMode.UP).longValue(),
                        "must be a valid resource quantity");
            }
            if (value != null && value.signum() <= 0) {
                problems.invalid(at, size.getValue().asString(""), "must be greater than zero");
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
        for (String source : List.of("hostPath", "local", "nfs")) {
            if (spec.has(source)) {
                VolumeValidation.content(source, spec.path(source), "spec." + source, problems);
            }
        }
        String path = Json.text(spec, "hostPath", "path");
        if (reclaim.equals("Recycle") && path.startsWith("/")
                && Set.of("", ".", "..").containsAll(List.of(path.split("/", -1)))) {
            problems.forbidden("spec.persistentVolumeReclaimPolicy",
                    "may not be 'recycle' for a hostPath mount of '/'");
        }
        VolumeRules.classAndMode(spec, "spec", problems);
        if (spec.has("volumeAttributesClassName")) {
            problems.formed("spec.volumeAttributesClassName", Json.text(spec, "volumeAttributesClassName"),
                    Formats::dnsSubdomain);
            if (!spec.has("csi")) {
                problems.required("spec.csi", "has to be specified when using volumeAttributesClassName");
            }
        }
        if (spec.has("local") && !spec.has("nodeAffinity")) {
            problems.required("spec.nodeAffinity", "Local volume requires node affinity");
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

    @Override
    protected void validateUpdate(ObjectNode volume, ObjectNode old, Problems problems) {
        validate(volume, problems);
        ObjectNode now = source(volume);
        if (!now.equals(source(old))) {
            problems.forbidden("spec.persistentvolumesource",
                    "spec.persistentvolumesource is immutable after creation\n");
        }
        problems.immutable("volumeMode", volume.path("spec").get("volumeMode"),
                old.path("spec").get("volumeMode"));
        if (old.path("spec").has("nodeAffinity")
                && !old.path("spec").path("nodeAffinity").equals(volume.path("spec").path("nodeAffinity"))) {
            problems.invalid("nodeAffinity", volume.path("spec").get("nodeAffinity"), "field is immutable, except for "
                    + "updating from beta label to GA");
        }
        if (old.path("spec").has("volumeAttributesClassName")
                && !volume.path("spec").has("volumeAttributesClassName")) {
            problems.forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
        }
    }

    @Override
    public void warn(ObjectNode volume, @Nullable ObjectNode old, List<String> warnings) {
        if (Json.text(volume, "spec", "persistentVolumeReclaimPolicy").equals("Recycle")) {
            warnings.add("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
                    + "recommended approach is to use dynamic provisioning.");
        }
    }

    private static ObjectNode source(ObjectNode volume) {
        ObjectNode spec = ((ObjectNode) volume.path("spec")).deepCopy();
        spec.remove(NO_SOURCES);
        return spec;
    }
}
