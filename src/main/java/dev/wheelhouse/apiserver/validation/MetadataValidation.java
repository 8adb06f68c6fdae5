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
        Rules.shared().check("ObjectMeta create", metadata, null, "metadata", problems);
    }

    /**
     * Checks the metadata of a resource inside of another one, which needs no name.
     *
     * @param path of the metadata
     */
    public static void embedded(ObjectNode metadata, String path, Problems problems) {
        for (String field : List.of("generateName", "name")) {
            String name = Json.text(metadata, field);
            problems.invalid(path + "." + field, name, name.isEmpty() ? List.of() : Formats.pathSegment(name));
        }
        String namespace = Json.text(metadata, "namespace");
        if (!namespace.isEmpty()) {
            problems.invalid(path + ".namespace", namespace, Formats.dnsLabel(namespace));
        }
        Rules.shared().check("ObjectMeta create", metadata, null, path, problems);
    }

    /**
     * Checks the metadata of a changed object.
     *
     * @param builtIn whether the kind is built in; upstream then reports forbidden changes twice
     */
    public static void update(ObjectNode object, ObjectNode old, boolean builtIn, Problems problems) {
        JsonNode metadata = object.path("metadata");
        for (int i = builtIn ? 0 : 1; i < 2; i++) {
            Rules.shared().check("ObjectMeta update", metadata, old.path("metadata"), "metadata", problems);
        }
        Rules.shared().check("ObjectMeta", metadata, null, "metadata", problems);
    }

    /** An object that is being deleted gets no further finalizers. */
    static void noNewFinalizers(Subject finalizers) {
        Set<String> extra = new TreeSet<>();
        finalizers.value().forEach(finalizer -> extra.add(finalizer.asString()));
        finalizers.old().forEach(finalizer -> extra.remove(finalizer.asString()));
        if (!extra.isEmpty()) {
            finalizers.problems().forbidden(finalizers.path(), "no new finalizers can be added if the object is being "
                    + "deleted, found new finalizers []string{\"" + String.join("\", \"", extra) + "\"}");
        }
    }

    /** Checks the metadata of a template of which only labels and annotations are used. */
    static void templateMetadata(Subject template) {
        JsonNode metadata = template.value();
        String path = template.path();
        Problems problems = template.problems();
        annotations(metadata.get("annotations"), path + ".annotations", problems);
        labels(metadata.get("labels"), path + ".labels", problems);
        metadata.properties().forEach(field -> {
            JsonNode value = field.getValue();
            boolean empty = value.isNull() || value.isContainer() && value.isEmpty() || value.asString("-").isEmpty();
            if (!empty && !List.of("annotations", "labels").contains(field.getKey())) {
                problems.forbidden(path + "." + (field.getKey().equals("uid") ? "uID" : field.getKey()),
                        "cannot be set");
            }
        });
    }

    /** Checks the keys and values of labels or of another map in their format. */
    public static void labels(@Nullable JsonNode labels, String path, Problems problems) {
        if (labels != null) {
            labels(Subject.root(labels, null, path, problems));
        }
    }

    static void labels(Subject labels) {
        for (Map.Entry<String, JsonNode> label : labels.value().properties()) {
            invalid(labels, label.getKey(), Formats.qualifiedName(label.getKey()));
            String value = label.getValue().asString("");
            invalid(labels, value, Formats.labelValue(value));
        }
    }

    /** Checks the keys of annotations, and the size of all of them. */
    public static void annotations(@Nullable JsonNode annotations, String path, Problems problems) {
        if (annotations != null) {
            annotations(Subject.root(annotations, null, path, problems));
        }
    }

    static void annotations(Subject annotations) {
        long size = 0;
        for (Map.Entry<String, JsonNode> annotation : annotations.value().properties()) {
            String key = annotation.getKey();
            invalid(annotations, key, Formats.qualifiedName(key.toLowerCase(Locale.ROOT)));
            size += utf8Length(key) + utf8Length(annotation.getValue().asString(""));
        }
        if (size > MAX_ANNOTATION_BYTES) {
            annotations.problems().tooLong(annotations.path(), MAX_ANNOTATION_BYTES);
        }
    }

    /** Reports the problems of a text, and asks for the path of the subject only if there are any. */
    private static void invalid(Subject subject, String text, List<String> wrong) {
        if (!wrong.isEmpty()) {
            subject.problems().invalid(subject.path(), text, wrong);
        }
    }

    /** Only one owner is the controller. The value is an owner that is one. */
    static void oneController(Subject owner) {
        JsonNode owners = owner.root().path("ownerReferences");
        JsonNode first = owners.valueStream().filter(o -> o.path("controller").asBoolean(false)).findFirst()
                .orElseThrow();
        if (first != owner.value()) {
            owner.problems().invalid(owner.path(), owners, "Only one reference can have Controller set to true. Found "
                    + "\"true\" in references for " + kindAndName(first) + " and " + kindAndName(owner.value()));
        }
    }

    private static String kindAndName(JsonNode owner) {
        return Json.text(owner, "kind") + "/" + Json.text(owner, "name");
    }

    /** Finalizers must be qualified names, or those of Kubernetes (upstream: {@code ValidateFinalizerName}). */
    public static void finalizersAreQualified(JsonNode object, Problems problems) {
        Rules.shared().check("QualifiedFinalizers", object.path("metadata"), null, "metadata", problems);
    }

    static void standardFinalizer(Subject finalizer) {
        String name = finalizer.text();
        if (!name.contains("/") && !List.of("kubernetes", "orphan", "foregroundDeletion").contains(name)) {
            finalizer.problems().invalid(finalizer.path(), name,
                    "name is neither a standard finalizer name nor is it fully qualified");
        }
    }

    /**
     * Replaces the end of a prefix that ends with a dash by a letter, because the appended suffix ends the name with
     * one.
     */
    private static String maskTrailingDash(String prefix) {
        return prefix.length() > 1 && prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 2) + "a" : prefix;
    }

    static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
