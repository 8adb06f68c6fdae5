package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.AffinityValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

import static dev.wheelhouse.apiserver.kinds.DefaultRules.set;

/** Persistent volumes. Their source never changes (upstream: {@code pkg/registry/core/persistentvolume}). */
final class PersistentVolumeStrategy extends Strategy {
    /** The fields of a specification that are not sources. Each other field is a source, and a volume has one. */
    private static final Set<String> NO_SOURCES = Set.of("accessModes", "capacity", "claimRef", "mountOptions",
            "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName",
            "volumeMode");

    PersistentVolumeStrategy() {
        super("", "PersistentVolume", Set.of(Trait.RETURNS_DELETED), Column.objectName(),
                Column.of("Capacity", "Size of the volume.", o -> o.scalarOr("0", "spec", "capacity", "storage")),
                Column.of("Access Modes", "Ways in which nodes may mount the volume.",
                        o -> VolumeRules.accessModes(o, "spec", "accessModes")),
                Column.of("Reclaim Policy", "Treatment of the volume after the deletion of its claim.",
                        o -> o.text("spec", "persistentVolumeReclaimPolicy")),
                VolumeRules.PHASE,
                Column.of("Claim", "Claim that the volume is bound to.", PersistentVolumeStrategy::claim),
                VolumeRules.STORAGE_CLASS, VolumeRules.ATTRIBUTES_CLASS,
                Column.of("Reason", "Reason of a failure.", o -> o.text("status", "reason")),
                Column.age(), VolumeRules.MODE);
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
        object.putObject("status").put("phase", "Pending");
    }

    @Override
    protected void validate(ObjectNode volume, Problems problems) {
        JsonNode spec = volume.path("spec");
        if (spec.path("accessModes").isEmpty()) {
            problems.required("spec.accessModes");
        }
        VolumeRules.accessModes(spec, "spec", problems);
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
        VolumeRules.classAndMode(spec, "spec", problems);
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
