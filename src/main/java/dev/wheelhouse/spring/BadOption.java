package dev.wheelhouse.spring;

/** An option has an unusable value. The message is a sentence that names the option, its value and the remedy. */
final class BadOption extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadOption(String message) {
        super(message);
    }
}
