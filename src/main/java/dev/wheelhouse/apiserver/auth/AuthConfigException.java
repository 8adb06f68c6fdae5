package dev.wheelhouse.apiserver.auth;

import org.jspecify.annotations.Nullable;

/** What the server was told about tokens, keys or certificates cannot be used. Its message is one sentence with the remedy. */
public final class AuthConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public AuthConfigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
