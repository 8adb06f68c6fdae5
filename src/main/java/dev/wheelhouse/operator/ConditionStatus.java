package dev.wheelhouse.operator;

/** The status of a condition. */
public enum ConditionStatus {
    TRUE("True"), FALSE("False"),
    /** The operator cannot tell, such as about a system that does not answer. */
    UNKNOWN("Unknown");

    private final String text;

    ConditionStatus(String text) {
        this.text = text;
    }

    public static ConditionStatus of(boolean value) {
        return value ? TRUE : FALSE;
    }

    /** The text in JSON, such as {@code True}. */
    @Override
    public String toString() {
        return text;
    }
}
