package dev.wheelhouse.spring;

/** How the program says that it cannot start. */
final class Sentences {
    static final String PREFIX = "wheelhouse: cannot start: ";

    private Sentences() {}

    /** Many lines as one. */
    static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
