package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/** A data directory that cannot be used. Its message is one sentence for the user, with the remedy. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1;

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

    /** What keeps it from writing may go away. @param reason in a few words that name no path */
    static StorageException passing(String message, String reason, @Nullable Throwable cause) {
        return new StorageException(message, reason, false, cause);
    }

    /** Why, in a few words; of a failure that may pass, without the directory's name. */
    public String reason() {
        return reason;
    }

    /** Whether it stays so until the server is started again. */
    boolean isLasting() {
        return lasting;
    }
}
