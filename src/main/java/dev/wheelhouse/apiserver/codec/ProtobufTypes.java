package dev.wheelhouse.apiserver.codec;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;

import io.kubernetes.client.proto.Meta;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Maps the fields of built-in types to the protobuf messages of the official client. They differ in two ways: a struct
 * that Go embeds is a message of its own, and some names are spelled differently. Safe for use by many threads.
 */
public final class ProtobufTypes {
    private static final Map<String, FileDescriptor> FILES = new ConcurrentHashMap<>();
    private static final Map<Key, Map<String, Slot>> SLOTS = new ConcurrentHashMap<>();
    private static final Map<String, Boolean> COVERED = new ConcurrentHashMap<>();
    /** Messages that stand for a value which is not an object in JSON. */
    private static final Set<String> VALUES = Set.of("Time", "MicroTime", "Quantity", "IntOrString", "RawExtension",
            "FieldsV1", "JSON", "ExtraValue", "Verbs", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool",
            "JSONSchemaPropsOrStringArray");
    /** The type of schemas in a CustomResourceDefinition. */
    static final @Nullable TypeSchema JSON_SCHEMA = Schemas
            .ofName("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");

    private ProtobufTypes() {}

    private record Key(String schema, Descriptor message) {}

    /**
     * The place of a JSON field in a message.
     *
     * @param inline the fields of embedded messages that lead to the field, from the outermost; empty if it is in the
     *        message itself
     * @param field the protobuf field
     * @param schema the type of the field's values; null if unknown
     */
    record Slot(List<FieldDescriptor> inline, FieldDescriptor field, @Nullable TypeSchema schema) {}

    /** The message of a kind; null if there is none. */
    static @Nullable Descriptor message(String apiVersion, String kind) {
        FileDescriptor file = file(apiVersion);
        Descriptor found = file == null ? null : file.findMessageTypeByName(kind);
        return found != null ? found : Meta.getDescriptor().findMessageTypeByName(kind);
    }

    /** The schema of a kind. Kinds that every group shares, such as DeleteOptions, have one schema. */
    static @Nullable TypeSchema schema(String apiVersion, String kind) {
        TypeSchema schema = Schemas.ofKind(apiVersion, kind);
        return schema != null ? schema : Schemas.ofName("io.k8s.apimachinery.pkg.apis.meta.v1." + kind);
    }

    private static @Nullable FileDescriptor file(String apiVersion) {
        FileDescriptor known = FILES.get(apiVersion);
        if (known != null) {
            return known;
        }
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        String first = group.contains(".") ? group.substring(0, group.indexOf('.')) : group;
        String name = "io.kubernetes.client.proto." + capital(apiVersion.substring(slash + 1)) + capital(first);
        try {
            Object file = Class.forName(name).getMethod("getDescriptor").invoke(null);
            if (file instanceof FileDescriptor descriptor) {
                FILES.put(apiVersion, descriptor);
                return descriptor;
            }
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException
                | InvocationTargetException e) {
            // The client has no messages of that group.
        }
        return null;
    }

    private static String capital(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** Whether every field of a built-in kind has a place in a message, so that protobuf loses nothing. */
    public static boolean covers(String apiVersion, String kind) {
        return COVERED.computeIfAbsent(apiVersion + " " + kind, k -> {
            TypeSchema schema = schema(apiVersion, kind);
            Descriptor message = message(apiVersion, kind);
            return schema != null && message != null && covers(schema, message, new HashSet<>());
        });
    }

    private static boolean covers(TypeSchema schema, Descriptor message, Set<Key> seen) {
        if (!seen.add(new Key(schema.name(), message))) {
            return true;
        }
        Map<String, Slot> slots = slots(schema, message);
        for (TypeSchema.Field field : schema.fields().values()) {
            Slot slot = slots.get(field.name());
            if (slot == null) {
                if (isTypeMeta(field.name())) {
                    continue;
                }
                return false;
            }
            Descriptor inner = valueMessage(slot.field());
            if (inner == null || VALUES.contains(inner.getName())) {
                continue;
            }
            if (!field.type().isObject() || !covers(field.type(), inner, seen)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the field is kind or apiVersion, which are in the envelope of a message. */
    static boolean isTypeMeta(String field) {
        return field.equals("kind") || field.equals("apiVersion");
    }

    private static @Nullable Descriptor valueMessage(FieldDescriptor field) {
        FieldDescriptor value = field.isMapField() ? field.getMessageType().findFieldByNumber(2) : field;
        return value.getJavaType() == JavaType.MESSAGE ? value.getMessageType() : null;
    }

    /** The places of the fields of a type, by their JSON names. */
    static Map<String, Slot> slots(@Nullable TypeSchema schema, Descriptor message) {
        return SLOTS.computeIfAbsent(new Key(schema == null ? "" : schema.name(), message), k -> {
            Map<String, Slot> slots = new HashMap<>();
            collect(schema, List.of(), message, slots);
            return Map.copyOf(slots);
        });
    }

    private static void collect(@Nullable TypeSchema schema, List<FieldDescriptor> inline, Descriptor message,
            Map<String, Slot> into) {
        for (FieldDescriptor field : message.getFields()) {
            String name = jsonName(schema, field);
            TypeSchema.Field known = schema == null ? null : schema.field(name);
            if (schema != null && known == null && !field.isRepeated() && field.getJavaType() == JavaType.MESSAGE) {
                List<FieldDescriptor> deeper = new ArrayList<>(inline);
                deeper.add(field);
                collect(schema, List.copyOf(deeper), field.getMessageType(), into);
            } else {
                into.putIfAbsent(name,
                        new Slot(inline, field, known == null ? null : Schemas.ofName(known.typeName())));
            }
        }
    }

    /** The field of a union with a schema that holds the other type. */
    static FieldDescriptor alternative(Descriptor either) {
        return either.getFields().stream().filter(f -> !f.getName().equals("schema")).findFirst().orElseThrow();
    }

    /**
     * The JSON name of a protobuf field. Most are equal, but names like {@code $ref} and {@code x-kubernetes-list-type}
     * are not valid in protobuf.
     */
    static String jsonName(@Nullable TypeSchema schema, FieldDescriptor field) {
        String name = field.getName();
        if (schema == null || schema.field(name) != null) {
            return name;
        }
        for (String other : List.of("$" + name, kebab(name))) {
            if (schema.field(other) != null) {
                return other;
            }
        }
        return schema.fields().keySet().stream().filter(name::equalsIgnoreCase).findFirst().orElse(name);
    }

    private static String kebab(String camel) {
        StringBuilder kebab = new StringBuilder(camel.length() + 8);
        camel.chars().forEach(c -> {
            if (Character.isUpperCase(c)) {
                kebab.append('-');
            }
            kebab.append((char) Character.toLowerCase(c));
        });
        return kebab.toString();
    }
}
