package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

/** Claims of persistent volumes (upstream: {@code pkg/registry/core/persistentvolumeclaim}). */
final class PersistentVolumeClaimStrategy extends Strategy {
    private static final Set<String> ORIGINS = Set.of("/PersistentVolumeClaim",
            "snapshot.storage.k8s.io/VolumeSnapshot");
    private static final List<String> RESIZE_STATUSES = List.of("ControllerResizeInProgress",
            "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending");

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
        sources(object, Json.object());
    }

    @Override
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {
        sources(object, old);
    }

    /**
     * Gives both fields for the origin of the data the same value. Clients that know only the first one expect that
     * origins other than claims and snapshots are ignored. Origins in other namespaces are ignored, too.
     */
    private static void sources(ObjectNode object, ObjectNode old) {
        if (object.get("spec") instanceof ObjectNode spec) {
            if (!Json.text(spec, "dataSourceRef", "namespace").isEmpty()) {
                spec.remove("dataSourceRef");
            }
            String origin = Json.text(spec, "dataSource", "apiGroup") + "/" + Json.text(spec, "dataSource", "kind");
            if (!old.path("spec").has("dataSource") && !old.path("spec").has("dataSourceRef")
                    && !spec.has("dataSourceRef") && !ORIGINS.contains(origin)) {
                spec.remove("dataSource");
            }
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

    static void claimStays(Subject subject) {
        ObjectNode claim = (ObjectNode) subject.value();
        ObjectNode old = (ObjectNode) subject.old();
        Problems problems = subject.problems();
        String annotation = Json.text(claim, "metadata", "annotations", VolumeRules.CLASS_ANNOTATION);
        String before = Json.text(old, "metadata", "annotations", VolumeRules.CLASS_ANNOTATION);
        boolean moves = annotation.isEmpty() && !before.isEmpty()
                && Json.text(claim, "spec", "storageClassName").equals(before)
                && Json.at(old, "spec", "storageClassName") == null;
        if (!annotation.equals(before) && !moves) {
            problems.invalid("metadata.annotations." + VolumeRules.CLASS_ANNOTATION, annotation,
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
        String beta = Json.text(old, "metadata", "annotations", VolumeRules.CLASS_ANNOTATION);
        if (Json.at(old, "spec", "storageClassName") == null
                && (beta.isEmpty() || beta.equals(Json.text(claim, "spec", "storageClassName")))) {
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

    static void claimResource(Subject name) {
        List<String> wrong = Formats.qualifiedName(name.text());
        name.problems().invalid(name.path(), name.text(), wrong);
        boolean isNative = !name.text().contains("/") || name.text().contains("kubernetes.io/");
        if (wrong.isEmpty() && isNative) {
            name.problems().supported(name.path(), name.text(), "storage");
        }
    }

    static void resizeStatus(Subject name) {
        String status = Json.text(name.root(), "status", "allocatedResourceStatuses", name.text());
        if (!RESIZE_STATUSES.contains(status)) {
            name.problems().notSupported(name.path(), name.text(), RESIZE_STATUSES.toArray(String[]::new));
        }
    }
}
