package dev.wheelhouse.apiserver.schema;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

/** What typed decoding does to a request's object: fields that the type does not have go, values of a wrong type are refused. */
public final class FieldValidation {
    private FieldValidation() {}

    /**
     * Drops the fields that the kind does not have, in place, and nulls of scalar fields.
     *
     * @return a problem for each, as upstream says it: {@code unknown field "spec.foo"}
     * @throws WrongTypeException for a value whose type does not fit its field, in the words of upstream's decoder
     */
    public static List<String> prune(String apiVersion, String kind, ObjectNode object) {
        throw new UnsupportedOperationException();
    }

    /** A value of the wrong type, e.g. text where a number must be. */
    public static final class WrongTypeException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public WrongTypeException(String message) {
            super(message);
        }
    }
}
