package dev.wheelhouse.podconfig;

import dev.wheelhouse.runtime.OneLine;

/**
 * The reason why a manifest is not used.
 *
 * @param location the file or URL
 * @param line the line, from 1; 0 if no line can be named
 * @param field the path of the field, such as {@code spec.containers[0].image}; empty if no field can be named
 * @param problem what is wrong, and the remedy
 */
public record Refusal(String location, int line, String field, String problem) {
    private static final int MAX_FIELD = 200;
    private static final int MAX_PROBLEM = 500;

    public Refusal {
        // These texts contain values of an untrusted manifest.
        field = OneLine.of(field, MAX_FIELD);
        problem = OneLine.of(problem, MAX_PROBLEM);
    }

    @Override
    public String toString() {
        return location + (line > 0 ? " line " + line : "") + (field.isEmpty() ? "" : ", " + field) + ": " + problem;
    }
}
