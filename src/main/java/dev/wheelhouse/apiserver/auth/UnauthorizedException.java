package dev.wheelhouse.apiserver.auth;

/**
 * The credentials of a request are missing or invalid. It has no stack trace, since it only leads to an answer of 401.
 */
public final class UnauthorizedException extends Exception {
    public UnauthorizedException(String message) {
        super(message, null, false, false);
    }
}
