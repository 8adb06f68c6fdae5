package dev.wheelhouse.client.http;

import org.jspecify.annotations.Nullable;

/** The place or the way to connect cannot be found out. The message names the file, the field and the remedy. */
public final class KubeConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public KubeConfigException(String message) {
        super(message);
    }

    public KubeConfigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
