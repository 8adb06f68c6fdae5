package dev.wheelhouse.apiserver.cel;

/** A rule that cannot be compiled. */
public final class RuleException extends Exception {
    private static final long serialVersionUID = 1;
    private final String field;
    private final String expression;

    RuleException(String field, String expression, String message) {
        super(message);
        this.field = field;
        this.expression = expression;
    }

    /** {@code rule} or {@code messageExpression}. */
    public String field() {
        return field;
    }

    public String expression() {
        return expression;
    }
}
