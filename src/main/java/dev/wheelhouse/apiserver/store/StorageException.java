package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/** A data directory that cannot be used. Its message is one sentence for the user, with the remedy. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    StorageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
