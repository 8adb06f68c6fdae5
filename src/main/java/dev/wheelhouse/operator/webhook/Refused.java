package dev.wheelhouse.operator.webhook;

/** Refuses a write, or a conversion. Users see the message. */
public final class Refused extends RuntimeException {
    public Refused(String message) {
        super(message, null, false, false);
    }
}
