package dev.wheelhouse.apiserver.webhook;

/** A webhook could not be called, or its answer is not usable. The message is upstream's where upstream has one. */
public final class WebhookException extends Exception {
    public WebhookException(String message) {
        super(message);
    }
}
