package dev.wheelhouse.testing;

/** An operator broke a rule in a simulated run. The message is a sentence without its full stop. */
final class Violation extends RuntimeException {
    Violation(String message) {
        super(message);
    }
}
