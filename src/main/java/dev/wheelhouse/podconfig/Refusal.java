package dev.wheelhouse.podconfig;

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
        field = shown(field, MAX_FIELD);
        problem = shown(problem, MAX_PROBLEM);
    }

    /** The text on one line and with a limited length, because it contains values of an untrusted manifest. */
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
