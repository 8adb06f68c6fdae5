package dev.wheelhouse.cel;

/** An expression does not compile. The message is upstream's where upstream has one. */
public final class RuleException extends Exception {
    private final String field;

    RuleException(String field, String message) {
        super(message);
        this.field = field;
    }

    /** The field of the expression: {@code rule}, {@code messageExpression} or {@code expression}. */
    public String field() {
        return field;
    }
}
