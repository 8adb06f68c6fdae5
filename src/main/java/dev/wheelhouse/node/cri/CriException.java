package dev.wheelhouse.node.cri;

/** A call that the container runtime refused, or did not answer. */
final class CriException extends RuntimeException {
    /** The codes of gRPC that make a difference here. */
    static final int DEADLINE_EXCEEDED = 4;
    static final int NOT_FOUND = 5;
    static final int RESOURCE_EXHAUSTED = 8;
    static final int UNIMPLEMENTED = 12;
    static final int UNAVAILABLE = 14;

    /** The status code of gRPC. */
    final int code;
    /** The runtime's own words, for Events and statuses. */
    final String reason;

    CriException(String method, int code, String reason) {
        super(method + " of the container runtime failed with status " + code + ": " + reason);
        this.code = code;
        this.reason = reason;
    }
}
