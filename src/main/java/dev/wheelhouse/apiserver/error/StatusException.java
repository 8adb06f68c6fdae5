package dev.wheelhouse.apiserver.error;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * A failed request, with the {@code Status} object to answer it. It has no stack trace, because it is an expected
 * outcome. {@link Errors} creates it.
 */
public final class StatusException extends RuntimeException {
    private final transient ObjectNode status;

    StatusException(ObjectNode status) {
        super(Json.text(status, "message"), null, false, false);
        this.status = status;
    }

    /** The HTTP status code. */
    public int code() {
        return (int) Json.number(status, 500, "code");
    }

    /** The {@code v1 Status} object of the answer. It is shared and must not be changed. */
    public ObjectNode status() {
        return status;
    }
}
