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
    private static final int MAX_FIELD = 200;
    private static final int MAX_PROBLEM = 500;

    public Refusal {
        field = shown(field, MAX_FIELD);
        problem = shown(problem, MAX_PROBLEM);
    }

    /** On one line, and of a bounded length: a manifest's values are in it, and may be anything. */
    private static String shown(String text, int most) {
        String line = text.replaceAll("[\\p{Cntrl}\\u2028\\u2029\\u202a-\\u202e]+", " ").strip();
        int end = most / 3;
        return line.length() <= most
                ? line
                : line.substring(0, most - end - 3) + "..." + line.substring(line.length() - end);
    }

    @Override
    public String toString() {
        return location + (line > 0 ? " line " + line : "") + (field.isEmpty() ? "" : ", " + field) + ": " + problem;
    }
}
