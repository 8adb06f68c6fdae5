package dev.wheelhouse.client.http;

import org.jspecify.annotations.Nullable;

/** No connection can be configured. The message names the file, the field and the remedy. */
public final class KubeConfigException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public KubeConfigException(String message) {
        super(message);
    }

    public KubeConfigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
