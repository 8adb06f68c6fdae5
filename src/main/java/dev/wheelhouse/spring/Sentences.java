package dev.wheelhouse.spring;

/** The form of the sentences that report a failed start. */
final class Sentences {
    static final String PREFIX = "wheelhouse: cannot start: ";

    private Sentences() {}

    /** Joins the lines of a text with spaces. */
    static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
