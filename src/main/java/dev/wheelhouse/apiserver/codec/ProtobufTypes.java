package dev.wheelhouse.apiserver.codec;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** The protobuf messages of the built-in types, from the numbers in the facts. Safe for use by many threads. */
public final class ProtobufTypes {
    private static final String JSON_SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
            + ".JSONSchemaProps";
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final Map<String, Message> MESSAGES = new ConcurrentHashMap<>();
    private static final Map<Slot, Message> ENTRIES = new ConcurrentHashMap<>();
    private static final Message SCHEMA_OR_SCHEMAS = message(single(1, "schema", JSON_SCHEMA),
            Map.entry(2, new Slot("other", JSON_SCHEMA, "", Shape.LIST, false)));
    private static final Message SCHEMA_OR_TEXTS = message(single(1, "schema", JSON_SCHEMA),
            Map.entry(2, new Slot("other", "string", "", Shape.LIST, false)));
    static final Message SCHEMA_OR_TRUTH = message(single(1, "other", "boolean"), single(2, "schema", JSON_SCHEMA));
    /** The messages of values that are not objects in JSON. */
    private static final Map<String, Message> VALUES = Map.of(
            "quantity", message(single(1, "text", "string")),
            "time", message(single(1, "seconds", "integer"), single(2, "nanos", "integer")),
            "micro-time", message(single(1, "seconds", "integer"), single(2, "nanos", "integer")),
            "int-or-string", message(single(1, "isText", "integer"), single(2, "number", "integer"),
                    single(3, "text", "string")),
            "raw-object", message(single(1, "json", "string")),
            "any", message(single(1, "json", "string")));

    /** The kinds of metadata alone. An item of the list is written as any type with its metadata in field 1. */
    private static final Map<String, Message> PARTIAL = Map.of(
            "PartialObjectMetadata", message(single(1, "metadata", META + "ObjectMeta")),
            "PartialObjectMetadataList", message(single(1, "metadata", META + "ListMeta"),
                    Map.entry(2, new Slot("items", "io.k8s.api.core.v1.Pod", "", Shape.LIST, false))));

    private ProtobufTypes() {}

    /** A part of a message: a field, or a struct that Go embeds, whose fields belong to the same JSON object. */
    sealed interface Part {}

    /**
     * A field.
     *
     * @param type the name of the value's type, or of an element's
     * @param keepsZero whether a zero value differs from an absent field
     */
    record Slot(String name, String type, String format, Shape shape, boolean keepsZero) implements Part {}

    /** @param parts by their numbers */
    record Message(NavigableMap<Integer, Part> parts) implements Part {
        private void add(TypeSchema.Field field, List<Integer> numbers) {
            if (numbers.size() == 1) {
                parts.put(numbers.getFirst(), new Slot(field.name(), field.typeName(), field.format(), field.shape(),
                        field.pointer()));
            } else if (!numbers.isEmpty() && parts.computeIfAbsent(numbers.getFirst(),
                    number -> new Message(new TreeMap<>())) instanceof Message struct) {
                struct.add(field, numbers.subList(1, numbers.size()));
            }
        }
    }

    private static Map.Entry<Integer, Part> single(int number, String name, String type) {
        return Map.entry(number, new Slot(name, type, "", Shape.SINGLE, true));
    }

    @SafeVarargs
    private static Message message(Map.Entry<Integer, ? extends Part>... parts) {
        return new Message(new TreeMap<>(Map.ofEntries(parts)));
    }

    /** The type of a field's value, or of an element, that is no primitive. */
    static TypeSchema typeOf(Slot slot) {
        return Objects.requireNonNull(Schemas.ofName(slot.type()), slot.type());
    }

    /** Whether a message holds a schema or another type, in the fields {@code schema} and {@code other}. */
    static boolean isUnion(Message message) {
        return message.equals(SCHEMA_OR_SCHEMAS) || message.equals(SCHEMA_OR_TRUTH) || message.equals(SCHEMA_OR_TEXTS);
    }

    /** The message of a type that is no primitive. */
    static Message message(TypeSchema type) {
        if (!type.isObject()) {
            return switch (type.name().substring(type.name().lastIndexOf('.') + 1)) {
                case "JSONSchemaPropsOrArray" -> SCHEMA_OR_SCHEMAS;
                case "JSONSchemaPropsOrBool" -> SCHEMA_OR_TRUTH;
                case "JSONSchemaPropsOrStringArray" -> SCHEMA_OR_TEXTS;
                default -> Objects.requireNonNull(VALUES.get(type.scalar()), type.name());
            };
        }
        return MESSAGES.computeIfAbsent(type.name(), name -> {
            Message message = new Message(new TreeMap<>());
            type.fields().values().forEach(field -> message.add(field, field.numbers()));
            return message;
        });
    }

    /** The message of one entry of a map, with a field {@code key} and a field {@code value}. */
    static Message entry(Slot map) {
        return ENTRIES.computeIfAbsent(map, slot -> {
            Slot value = new Slot("value", slot.type(), slot.format(),
                    slot.shape() == Shape.MAP ? Shape.SINGLE : Shape.LIST, true);
            return message(single(1, "key", "string"),
                    Map.entry(2, slot.shape() == Shape.MAP ? value : message(Map.entry(1, value))));
        });
    }

    /** The type of a kind. Kinds that every group shares, such as DeleteOptions, have one type. */
    static @Nullable TypeSchema schema(String apiVersion, String kind) {
        TypeSchema schema = Schemas.ofKind(apiVersion, kind);
        return schema != null ? schema : Schemas.ofName(META + kind);
    }

    /** The message of a kind, also of metadata alone; null if there is none. */
    static @Nullable Message message(String apiVersion, String kind) {
        TypeSchema schema = schema(apiVersion, kind);
        return schema != null ? message(schema) : apiVersion.startsWith("meta.k8s.io/") ? PARTIAL.get(kind) : null;
    }

    /**
     * Whether a kind has a protobuf message. If it has, each field of the kind has a place in it, except kind and
     * apiVersion, which are in the envelope.
     */
    public static boolean covers(String apiVersion, String kind) {
        TypeSchema schema = schema(apiVersion, kind);
        return schema != null && schema.fields().values().stream().allMatch(field -> !field.numbers().isEmpty()
                || field.name().equals("kind") || field.name().equals("apiVersion"));
    }
}
