package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/** A data directory cannot be used. The message is one sentence for the operator, with the remedy. */
public final class StorageException extends RuntimeException {
    private final String reason;
    private final boolean lasting;

    StorageException(String message, @Nullable Throwable cause) {
        this(message, message, true, cause);
    }

    private StorageException(String message, String reason, boolean lasting, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.lasting = lasting;
    }

    /** A failure that may pass without a restart. The reason is short and names no path. */
    static StorageException temporary(String message, String reason, @Nullable Throwable cause) {
        return new StorageException(message, reason, false, cause);
    }

    /** The cause in a few words. If the failure may pass, they do not name the directory. */
    public String reason() {
        return reason;
    }

    /** Whether the failure lasts until the server is restarted. */
    boolean isLasting() {
        return lasting;
    }
}
