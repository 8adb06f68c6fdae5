package dev.wheelhouse.apiserver.patch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.facts.RuleTables;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/**
 * The fields that no manager owns: the server's metadata, fields that an endpoint resets, and fields that all objects
 * have.
 */
final class UnmanagedFields {
    static final FieldSet MANAGED_FIELDS = set(List.of("f:metadata", "f:managedFields"));
    /** Fields that never are in a manager's set. */
    static final FieldSet ALWAYS = always();
    private static final FieldSet NOTHING = new FieldSet();
    private static final FieldSet STATUS = set(List.of("f:status"));
    /** A namespace's {@code spec.finalizers} can be changed only through its finalize subresource. */
    private static final FieldSet STATUS_AND_FINALIZERS = set(List.of("f:status"), List.of("f:spec", "f:finalizers"));
    private static final FieldSet SPEC = set(List.of("f:spec"));
    private static final FieldSet APPROVAL = set(List.of("f:spec"), List.of("f:status", "f:certificate"));
    private static final FieldSet SPEC_AND_METADATA = set(List.of("f:spec"), List.of("f:metadata"));
    /** Kinds whose status is written through the object itself: they have no status subresource. */
    private static final Set<String> WITHOUT_STATUS_SUBRESOURCE = Set.of("ComponentStatus", "Lease", "TokenReview",
            "SubjectAccessReview", "SelfSubjectAccessReview", "LocalSubjectAccessReview", "SelfSubjectRulesReview",
            "SelfSubjectReview", "TokenRequest");
    /** Kinds whose status endpoint resets more than the specification, or other fields. */
    private static final Map<String, FieldSet> BY_STATUS = byStatus();

    private UnmanagedFields() {}

    /** The fields that requests to an endpoint cannot change (upstream: {@code GetResetFields} of each strategy). */
    static FieldSet of(String kind, String subresource, @Nullable CustomType custom) {
        if (custom != null) {
            return subresource.equals("status") ? SPEC_AND_METADATA : custom.status() ? STATUS : NOTHING;
        }
        return switch (subresource) {
            case "" -> WITHOUT_STATUS_SUBRESOURCE.contains(kind)
                    ? NOTHING
                    : kind.equals("Namespace") ? STATUS_AND_FINALIZERS : STATUS;
            case "status" -> BY_STATUS.getOrDefault(kind, SPEC);
            case "approval" -> APPROVAL;
            default -> NOTHING;
        };
    }

    private static Map<String, FieldSet> byStatus() {
        Map<String, FieldSet> byStatus = new HashMap<>();
        RuleTables.read("kinds.tsv").forEach((name, rows) -> {
            if (rows.getFirst().startsWith("traits") && rows.getFirst().contains("STATUS_ALONE")) {
                byStatus.put(name.split("\\.")[0], SPEC_AND_METADATA);
            }
        });
        byStatus.put("Deployment", set(List.of("f:spec"), List.of("f:metadata", "f:labels")));
        byStatus.put("Pod", set(List.of("f:spec"), List.of("f:metadata", "f:deletionTimestamp"),
                List.of("f:metadata", "f:ownerReferences")));
        byStatus.put("CertificateSigningRequest", set(List.of("f:spec"), List.of("f:status", "f:conditions")));
        return byStatus;
    }

    /** The object with which a new object is compared: it has only the fields that every object of its kind has. */
    static ObjectNode newObject(String apiVersion, String kind) {
        ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
        TypeSchema type = Schemas.ofKind(apiVersion, kind);
        if (type == null) {
            object.putObject("metadata");
        } else {
            fill(object, type);
        }
        return object;
    }

    private static void fill(ObjectNode object, TypeSchema type) {
        for (Field field : type.fields().values()) {
            if (!field.always() || object.has(field.name())) {
                continue;
            }
            if (field.shape() != Shape.SINGLE) {
                object.putNull(field.name());
            } else if (field.type().isObject()) {
                fill(object.putObject(field.name()), field.type());
            } else {
                switch (field.typeName()) {
                    case "string" -> object.put(field.name(), "");
                    case "integer", "number" -> object.put(field.name(), 0);
                    case "boolean" -> object.put(field.name(), false);
                    default -> object.putNull(field.name());
                }
            }
        }
    }

    private static FieldSet always() {
        FieldSet set = set(List.of("f:apiVersion"), List.of("f:kind"), List.of("f:metadata"));
        for (String field : List.of("name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName",
                "generation", "managedFields", "resourceVersion")) {
            set.insert(List.of("f:metadata", "f:" + field));
        }
        return set;
    }

    @SafeVarargs
    private static FieldSet set(List<String>... paths) {
        FieldSet set = new FieldSet();
        for (List<String> path : paths) {
            set.insert(path);
        }
        return set;
    }
}
