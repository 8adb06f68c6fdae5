package dev.wheelhouse.operator.webhook;

/** Refuses a write, or a conversion. Users see the message. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Refused(String message) {
        super(message, null, false, false);
    }
}
