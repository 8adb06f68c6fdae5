package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * What typed decoding does to a request's object: fields that the type does not have go, values of a wrong type are refused
 * (upstream: {@code sigs.k8s.io/json} and the codecs of {@code apimachinery/pkg/runtime/serializer}).
 */
public final class FieldValidation {
    private FieldValidation() {}

    /**
     * Brings an object, in place, to the form that decoding it into its type and encoding it again gives: fields that the kind does not have
     * go, nulls go, and so do empty lists, empty maps and zero values whose field means the same without them. Quantities become canonical
     * text; raw extensions and the sets of managed fields stay as they are. Where a key of a map or an element of a list is null, it becomes
     * the zero value. An object of a kind that is not built in stays as it is.
     *
     * @return a problem for each unknown field, as upstream says it, without repeats: {@code unknown field "spec.foo"}
     * @throws WrongTypeException for the first value whose type does not fit its field, in the words of upstream's decoder
     */
    public static List<String> prune(String apiVersion, String kind, ObjectNode object) {
        TypeSchema schema = Schemas.ofKind(apiVersion, kind);
        if (schema == null) {
            return new ArrayList<>();
        }
        List<String> problems = prune(schema, object);
        if (apiVersion.equals("apps/v1") && kind.equals("Deployment")) {
            RollbackAnnotation.decode(object);
        }
        return problems;
    }

    /** As {@link #prune(String, String, ObjectNode)}, for an object of a type that need not be a kind, such as DeleteOptions. */
    public static List<String> prune(TypeSchema schema, ObjectNode object) {
        Decoding decoding = new Decoding();
        decoding.object(object, schema);
        return decoding.problems();
    }

    /** The fields that a JSON text, which has been read before, names twice: {@code duplicate field "spec.replicas"}, as upstream says. */
    public static List<String> duplicates(byte[] json) {
        return DuplicateFields.in(json);
    }

    /** A value of the wrong type, e.g. text where a number must be. */
    public static final class WrongTypeException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public WrongTypeException(String message) {
            super(message);
        }
    }
}
