package dev.wheelhouse.podconfig;

/**
 * Why a manifest is not used.
 *
 * @param location the file or URL
 * @param line in it, from 1; 0 if no line is to blame
 * @param field the path of the field, such as {@code spec.containers[0].image}, or empty
 * @param problem what is wrong, and what to do about it
 */
public record Refusal(String location, int line, String field, String problem) {
    @Override
    public String toString() {
        return location + (line > 0 ? " line " + line : "") + (field.isEmpty() ? "" : ", " + field) + ": " + problem;
    }
}
