package dev.wheelhouse.client.http;

import org.jspecify.annotations.Nullable;

/** No connection can be configured. The message names the file, the field and the remedy. */
public final class KubeConfigException extends RuntimeException {
    public KubeConfigException(String message) {
        super(message);
    }

    public KubeConfigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
