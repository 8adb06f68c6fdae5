package dev.wheelhouse.apiserver.error;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** A request that is answered with a {@code Status} of failure. */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient ObjectNode status;

    ApiException(ObjectNode status) {
        super(Json.text(status, "message"), null, false, false);
        this.status = status;
    }

    public int code() {
        return (int) Json.number(status, 500, "code");
    }

    /** The {@code v1 Status} object to answer with. */
    public ObjectNode status() {
        return status;
    }
}
