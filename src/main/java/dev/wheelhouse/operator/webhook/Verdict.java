package dev.wheelhouse.operator.webhook;

import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a write is allowed, with the reasons and warnings that the user reads. Immutable.
 *
 * <pre>{@code
 * return Verdict.allow()
 *         .refuseIf(replicas > 10, "spec.replicas", "must be at most 10")
 *         .warnIf(image.endsWith(":latest"), "spec.image: an image without a version changes under your feet");
 * }</pre>
 *
 * @param problems the reasons of a refusal; empty if the write is allowed
 * @param warnings shown to the user by kubectl, whether or not the write is allowed
 */
public record Verdict(List<Problem> problems, List<String> warnings) {
    private static final Verdict ALLOW = new Verdict(List.of(), List.of());

    /**
     * @param field such as {@code spec.replicas}; empty if the problem does not concern a single field
     * @param message such as {@code must be at most 10}
     */
    public record Problem(String field, String message) {
        @Override
        public String toString() {
            return field.isEmpty() ? message : field + ": " + message;
        }
    }

    public Verdict {
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    /** Allows the write. */
    public static Verdict allow() {
        return ALLOW;
    }

    /** Refuses for a reason that does not concern a single field. */
    public static Verdict refuse(String message) {
        return ALLOW.refuseIf(true, "", message);
    }

    /** Also refuses, if the condition holds. */
    public Verdict refuseIf(boolean condition, String field, String message) {
        return condition
                ? new Verdict(Stream.concat(problems.stream(), Stream.of(new Problem(field, message))).toList(),
                        warnings)
                : this;
    }

    /** Also warns, if the condition holds. */
    public Verdict warnIf(boolean condition, String message) {
        return condition
                ? new Verdict(problems, Stream.concat(warnings.stream(), Stream.of(message)).toList())
                : this;
    }

    /** Whether there is no problem. */
    public boolean isAllowed() {
        return problems.isEmpty();
    }
}
