package dev.wheelhouse.apiserver.auth;

/** Nobody knows who asks. It has no stack trace: it answers a request, and no bug. */
public final class UnauthorizedException extends Exception {
    private static final long serialVersionUID = 1;

    UnauthorizedException(String message) {
        super(message, null, false, false);
    }
}
