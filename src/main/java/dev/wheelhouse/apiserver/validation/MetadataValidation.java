package dev.wheelhouse.apiserver.validation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of {@code metadata} (upstream: {@code apimachinery/pkg/api/validation/objectmeta.go}). */
public final class MetadataValidation {
    private static final int MAX_ANNOTATION_BYTES = 256 * 1024;
    private static final int MAX_MANAGER_LENGTH = 128;

    private MetadataValidation() {}

    /**
     * Checks the metadata of a new object.
     *
     * @param nameRule the format of the kind's names
     */
    public static void create(ObjectNode object, boolean namespaced, Function<String, List<String>> nameRule,
            Problems problems) {
        JsonNode metadata = object.path("metadata");
        String prefix = Json.text(metadata, "generateName");
        if (!prefix.isEmpty()) {
            problems.invalid("metadata.generateName", prefix, nameRule.apply(maskTrailingDash(prefix)));
        }
        String name = Json.text(metadata, "name");
        if (name.isEmpty()) {
            problems.required("metadata.name", "name or generateName is required");
        } else {
            problems.invalid("metadata.name", name, nameRule.apply(name));
        }
        String namespace = Json.text(metadata, "namespace");
        if (!namespaced && !namespace.isEmpty()) {
            problems.forbidden("metadata.namespace", "not allowed on this type");
        } else if (namespaced && namespace.isEmpty()) {
            problems.required("metadata.namespace");
        } else if (namespaced) {
            problems.invalid("metadata.namespace", namespace, Formats.dnsLabel(namespace));
        }
        problems.nonNegative(metadata, "metadata", "generation");
        common(metadata, problems);
        finalizers(metadata, problems);
    }

    /**
     * Checks the metadata of a changed object.
     *
     * @param builtIn whether the kind is built in; upstream then reports forbidden changes twice
     */
    public static void update(ObjectNode object, ObjectNode old, boolean builtIn, Problems problems) {
        unchanged(object, old, problems);
        if (builtIn) {
            unchanged(object, old, problems);
        }
        common(object.path("metadata"), problems);
    }

    private static void unchanged(ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode now = object.path("metadata");
        JsonNode before = old.path("metadata");
        if (Json.at(before, "deletionTimestamp") != null) {
            Set<String> extra = new TreeSet<>();
            now.path("finalizers").forEach(f -> extra.add(f.asString()));
            before.path("finalizers").forEach(f -> extra.remove(f.asString()));
            if (!extra.isEmpty()) {
                problems.forbidden("metadata.finalizers",
                        "no new finalizers can be added if the object is being deleted, found new finalizers "
                                + "[]string{\""
                                + String.join("\", \"", extra) + "\"}");
            }
        }
        if (Json.number(now, 0, "generation") < Json.number(before, 0, "generation")) {
            problems.invalid("metadata.generation", Json.number(now, 0, "generation"), "must not be decremented");
        }
        for (String field : List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
                "deletionGracePeriodSeconds")) {
            problems.immutable("metadata." + field, now.get(field), before.get(field));
        }
    }

    private static void common(JsonNode metadata, Problems problems) {
        labels(metadata.get("labels"), "metadata.labels", problems);
        annotations(metadata.get("annotations"), "metadata.annotations", problems);
        owners(metadata, problems);
        managers(metadata, problems);
    }

    /** Checks the metadata of a template of which only labels and annotations are used. */
    static void ofTemplate(JsonNode metadata, String path, Problems problems) {
        annotations(metadata.get("annotations"), path + ".annotations", problems);
        labels(metadata.get("labels"), path + ".labels", problems);
        metadata.properties().forEach(field -> {
            JsonNode value = field.getValue();
            boolean empty = value.isNull() || value.isContainer() && value.isEmpty() || value.asString("-").isEmpty();
            if (!empty && !List.of("annotations", "labels").contains(field.getKey())) {
                problems.forbidden(path + "." + field.getKey(), "cannot be set");
            }
        });
    }

    /** Checks the keys and values of labels or of another map in their format. */
    public static void labels(@Nullable JsonNode labels, String path, Problems problems) {
        if (labels == null) {
            return;
        }
        for (Map.Entry<String, JsonNode> label : labels.properties()) {
            problems.invalid(path, label.getKey(), Formats.qualifiedName(label.getKey()));
            String value = label.getValue().asString("");
            problems.invalid(path, value, Formats.labelValue(value));
        }
    }

    /** Checks the keys of annotations, and the size of all of them. */
    public static void annotations(@Nullable JsonNode annotations, String path, Problems problems) {
        if (annotations == null) {
            return;
        }
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : annotations.properties()) {
            String key = annotation.getKey();
            problems.invalid(path, key, Formats.qualifiedName(key.toLowerCase(Locale.ROOT)));
            size += utf8Length(key) + utf8Length(annotation.getValue().asString(""));
        }
        if (size > MAX_ANNOTATION_BYTES) {
            problems.tooLong(path, MAX_ANNOTATION_BYTES);
        }
    }

    private static void owners(JsonNode metadata, Problems problems) {
        String path = "metadata.ownerReferences";
        String controller = "";
        for (JsonNode owner : metadata.path("ownerReferences")) {
            String apiVersion = Json.text(owner, "apiVersion");
            if (apiVersion.isEmpty()) {
                problems.invalid(path + ".apiVersion", apiVersion, "version must not be empty");
            }
            for (String field : List.of("kind", "name", "uid")) {
                if (Json.text(owner, field).isEmpty()) {
                    problems.invalid(path + "." + field, "", "must not be empty");
                }
            }
            if (apiVersion.equals("v1") && Json.text(owner, "kind").equals("Event")) {
                problems.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner");
            }
            if (owner.path("controller").asBoolean(false)) {
                String name = Json.text(owner, "kind") + "/" + Json.text(owner, "name");
                if (!controller.isEmpty()) {
                    problems.invalid(path, metadata.get("ownerReferences"),
                            "Only one reference can have Controller set to true. Found \"true\" in references for "
                                    + controller + " and " + name);
                } else {
                    controller = name;
                }
            }
        }
    }

    private static void finalizers(JsonNode metadata, Problems problems) {
        boolean orphan = false;
        boolean foreground = false;
        for (JsonNode finalizer : metadata.path("finalizers")) {
            String name = finalizer.asString("");
            problems.invalid("metadata.finalizers", name, Formats.qualifiedName(name));
            orphan |= name.equals("orphan");
            foreground |= name.equals("foregroundDeletion");
        }
        if (orphan && foreground) {
            problems.invalid("metadata.finalizers", metadata.get("finalizers"),
                    "finalizer orphan and foregroundDeletion cannot be both set");
        }
    }

    /** Finalizers must be qualified names, or those of Kubernetes (upstream: {@code ValidateFinalizerName}). */
    public static void finalizersAreQualified(JsonNode object, Problems problems) {
        Problems.each(object.path("metadata"), "metadata", "finalizers",
                (finalizer, at) -> standardFinalizer(Subject.root(finalizer, null, at, problems)));
    }

    static void standardFinalizer(Subject finalizer) {
        String name = finalizer.text();
        if (!name.contains("/") && !List.of("kubernetes", "orphan", "foregroundDeletion").contains(name)) {
            finalizer.problems().invalid(finalizer.path(), name,
                    "name is neither a standard finalizer name nor is it fully qualified");
        }
    }

    private static void managers(JsonNode metadata, Problems problems) {
        Problems.each(metadata, "metadata", "managedFields", (entry, path) -> {
            String operation = Json.text(entry, "operation");
            if (!operation.equals("Apply") && !operation.equals("Update") && !entry.isEmpty()) {
                problems.invalid(path + ".operation", operation, "must be `Apply` or `Update`");
            }
            String fieldsType = Json.text(entry, "fieldsType");
            if (!fieldsType.isEmpty() && !fieldsType.equals("FieldsV1")) {
                problems.invalid(path + ".fieldsType", fieldsType, "must be `FieldsV1`");
            }
            if (utf8Length(Json.text(entry, "manager")) > MAX_MANAGER_LENGTH) {
                problems.tooLong(path + ".manager", MAX_MANAGER_LENGTH);
            }
        });
    }

    /**
     * Replaces the end of a prefix that ends with a dash by a letter, because the appended suffix ends the name with
     * one.
     */
    private static String maskTrailingDash(String prefix) {
        return prefix.length() > 1 && prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 2) + "a" : prefix;
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
