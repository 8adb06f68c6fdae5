package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * Decodes objects of requests into their types: drops unknown fields and refuses values of a wrong type (upstream:
 * {@code sigs.k8s.io/json} and the codecs of {@code apimachinery/pkg/runtime/serializer}).
 */
public final class FieldValidation {
    private static final TypeSchema OBJECT_META = Objects
            .requireNonNull(Schemas.ofName("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));

    private FieldValidation() {}

    /**
     * Brings an object, in place, to the form that decoding and encoding it would give. Fields that the kind does not
     * have are dropped, and so are nulls, empty lists and maps, and zero values that mean the same as a missing field.
     * Quantities become canonical. A null in a map or list becomes the zero value. Raw extensions and the field sets of
     * managed fields do not change, nor does an object of a kind that is not built in.
     *
     * @return for each unknown field a message in upstream's words, without repeats: {@code unknown field "spec.foo"}
     * @throws WrongTypeException for the first value of a wrong type
     */
    public static List<String> prune(String apiVersion, String kind, ObjectNode object) {
        return prune(apiVersion, kind, object, false);
    }

    /**
     * As {@link #prune(String, String, ObjectNode)}.
     *
     * @param converts whether the values come from a map, as those of a strategic merge patch: whole numbers such as
     *     5.0 are integers then, and the messages are those of upstream's converter
     */
    public static List<String> prune(String apiVersion, String kind, ObjectNode object, boolean converts) {
        TypeSchema schema = Schemas.ofKind(apiVersion, kind);
        if (schema == null) {
            return new ArrayList<>();
        }
        List<String> problems = prune(schema, object, converts);
        if (apiVersion.equals("apps/v1") && kind.equals("Deployment")) {
            RollbackAnnotation.decode(object);
        }
        return problems;
    }

    /** As {@link #prune(String, String, ObjectNode)}, for a type that need not be a kind, such as DeleteOptions. */
    public static List<String> prune(TypeSchema schema, ObjectNode object) {
        return prune(schema, object, false);
    }

    private static List<String> prune(TypeSchema schema, ObjectNode object, boolean converts) {
        Decoding decoding = new Decoding(converts);
        decoding.object(object, schema);
        return decoding.problems();
    }

    /**
     * As {@link #prune(String, String, ObjectNode)}, for the metadata of an object of whatever kind.
     *
     * @param path of the metadata, for the messages
     */
    public static List<String> pruneMetadata(ObjectNode metadata, String path) {
        return prune(OBJECT_META, metadata).stream()
                .map(problem -> problem.replaceFirst("^unknown field \"", "unknown field \"" + path + ".")).toList();
    }

    /**
     * Finds duplicate fields in upstream's words: {@code duplicate field "spec.replicas"}.
     *
     * @param json a valid JSON text
     */
    public static List<String> duplicates(byte[] json) {
        return DuplicateFields.in(json);
    }

    /** The name of a value's type in messages of Go's {@code encoding/json}. */
    public static String jsonType(JsonNode value) {
        return switch (value.getNodeType()) {
            case BOOLEAN -> "bool";
            case STRING, NUMBER, ARRAY, OBJECT -> value.getNodeType().name().toLowerCase(Locale.ROOT);
            default -> "null";
        };
    }

    /** A value of a wrong type, such as text for a number. The message is that of upstream's decoder. */
    public static final class WrongTypeException extends RuntimeException {
        public WrongTypeException(String message) {
            super(message);
        }
    }
}
