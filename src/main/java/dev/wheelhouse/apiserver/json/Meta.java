package dev.wheelhouse.apiserver.json;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads and changes the metadata of objects, in place. */
public final class Meta {
    private static final Set<String> MANAGING = Set.of("Apply", "Update");
    private static final List<String> LEFT_OUT_IF_EMPTY = List.of("labels", "annotations", "finalizers",
            "ownerReferences", "selfLink", "creationTimestamp", "deletionTimestamp", "uid",
            "resourceVersion", "generateName", "namespace", "deletionGracePeriodSeconds");

    private Meta() {}

    public static ObjectNode of(ObjectNode object) {
        return Json.child(object, "metadata");
    }

    public static String name(ObjectNode object) {
        return Json.text(object, "metadata", "name");
    }

    /** The name, or that from which one is generated. */
    public static String nameOrBase(ObjectNode object) {
        String name = name(object);
        return name.isEmpty() ? Json.text(object, "metadata", "generateName") : name;
    }

    public static String namespace(ObjectNode object) {
        return Json.text(object, "metadata", "namespace");
    }

    public static boolean isDeleting(ObjectNode object) {
        return !Json.text(object, "metadata", "deletionTimestamp").isEmpty();
    }

    public static List<String> finalizers(ObjectNode object) {
        return Json.texts(object.path("metadata").path("finalizers"));
    }

    public static void setFinalizers(ObjectNode object, List<String> finalizers) {
        if (finalizers.isEmpty()) {
            of(object).remove("finalizers");
        }
        Json.putTexts(of(object), "finalizers", finalizers);
    }

    /** The time of a text; {@link Instant#EPOCH} if the text is none. */
    public static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }

    /** A time in the format of {@code metav1.Time}: UTC, in seconds. */
    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Copies a field; a missing one is removed from the target, too. */
    public static void copy(JsonNode from, ObjectNode to, String field) {
        set(to, field, from.get(field));
    }

    /** Sets a field, or removes it if the value is null. */
    public static void set(ObjectNode to, String field, @Nullable JsonNode value) {
        if (value == null || value.isNull()) {
            to.remove(field);
        } else {
            to.set(field, value);
        }
    }

    /** Removes repeated owner references. Returns the UIDs of the removed ones. */
    public static List<String> dropRepeatedOwners(ObjectNode object) {
        List<String> repeated = new ArrayList<>(0);
        ObjectNode meta = of(object);
        if (meta.get("ownerReferences") instanceof ArrayNode references && references.size() > 1) {
            Map<String, JsonNode> kept = new LinkedHashMap<>();
            for (JsonNode reference : references) {
                if (kept.putIfAbsent(JsonKey.of(reference), reference) != null) {
                    repeated.add(Json.text(reference, "uid"));
                }
            }
            if (!repeated.isEmpty()) {
                meta.putArray("ownerReferences").addAll(kept.values());
            }
        }
        return repeated;
    }

    /** Replaces managed fields that cannot be decoded by those of the old object, as upstream does. */
    public static void keepManagers(ObjectNode object, @Nullable ObjectNode old) {
        JsonNode entries = of(object).path("managedFields");
        for (JsonNode entry : entries) {
            boolean resets = entries.size() == 1 && entry.isEmpty();
            boolean isValid = MANAGING.contains(Json.text(entry, "operation"))
                    && !Json.text(entry, "apiVersion").isEmpty()
                    && Json.text(entry, "fieldsType").equals("FieldsV1");
            if (!isValid && !resets) {
                set(of(object), "managedFields", old == null ? null : of(old).get("managedFields"));
                return;
            }
        }
    }

    /** Removes empty values, which upstream does not write, and repeated owner references. */
    public static void removeEmptyFields(ObjectNode object) {
        dropRepeatedOwners(object);
        ObjectNode meta = of(object);
        for (String field : LEFT_OUT_IF_EMPTY) {
            JsonNode value = meta.get(field);
            if (value != null && (value.isNull() || value.isContainer() && value.isEmpty()
                    || value.isString() && value.stringValue().isEmpty())) {
                meta.remove(field);
            }
        }
    }

    /** The object without its version and the times in managed fields, to compare two writes. */
    public static ObjectNode withoutWriteTimes(ObjectNode object) {
        ObjectNode meta = shallowCopy(of(object));
        meta.remove("resourceVersion");
        if (meta.get("managedFields") instanceof ArrayNode entries) {
            ArrayNode timeless = meta.putArray("managedFields");
            entries.forEach(entry -> {
                if (entry instanceof ObjectNode owner) {
                    ObjectNode copy = shallowCopy(owner);
                    copy.remove("time");
                    timeless.add(copy);
                } else {
                    timeless.add(entry);
                }
            });
        }
        ObjectNode copy = shallowCopy(object);
        copy.set("metadata", meta);
        return copy;
    }

    /** A new object with the same nodes as fields. */
    public static ObjectNode shallowCopy(ObjectNode object) {
        ObjectNode copy = Json.object();
        copy.setAll(object);
        return copy;
    }
}
