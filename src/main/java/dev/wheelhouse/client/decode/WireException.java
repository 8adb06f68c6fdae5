package dev.wheelhouse.client.decode;

/** Thrown for bytes that are no protobuf message, or not the message of the expected type. */
final class WireException extends RuntimeException {
    /** The field, from the object on: {@code spec.containers.name}. */
    private final String field;

    WireException(String problem) {
        this("", problem);
    }

    private WireException(String field, String problem) {
        super(problem, null, false, false);
        this.field = field;
    }

    /** The same problem, of a field in the field of this name. */
    WireException in(String outer) {
        return new WireException(field.isEmpty() ? outer : outer + "." + field, String.valueOf(getMessage()));
    }

    String field() {
        return field;
    }

    /** The problem in words, without the field. */
    String problem() {
        return String.valueOf(getMessage());
    }
}
