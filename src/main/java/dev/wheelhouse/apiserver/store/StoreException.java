package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

/** The store refuses a call. Each reason is a subclass. */
public abstract sealed class StoreException extends RuntimeException {
    StoreException(String message) {
        super(message);
    }

    /** An object of this name already exists. */
    public static final class Exists extends StoreException {
        private final transient StoredObject present;

        public Exists(StoredObject present) {
            super(present.key() + " exists");
            this.present = present;
        }

        public StoredObject present() {
            return present;
        }
    }

    /** The object is missing, or not at the expected version. */
    public static final class Conflict extends StoreException {
        Conflict(String key, @Nullable StoredObject present) {
            super(key + " is " + (present == null ? "missing" : "at version " + present.version()));
        }
    }

    /** The store was closed. */
    public static final class Closed extends StoreException {
        Closed() {
            super("the store is closed");
        }
    }

    /** The storage takes no writes at the moment. The write has not happened. */
    public static final class Failed extends StoreException {
        private final String reason;

        Failed(StorageException cause) {
            super(String.valueOf(cause.getMessage()));
            initCause(cause);
            this.reason = cause.reason();
        }

        /** The cause in a few words that name no path, unless only a restart can help. */
        public String reason() {
            return reason;
        }
    }

    /** All objects together take as much memory as they may. The message begins like etcd's. */
    public static final class Full extends StoreException {
        Full(long bytes, long most) {
            super("etcdserver: mvcc: database space exceeded: the objects take " + bytes + " bytes, and at most " + most
                    + " are for them: delete some, or give the process a larger heap");
        }
    }

    /** The version is older than the kept ones. */
    public static final class Expired extends StoreException {
        private final long oldest;

        Expired(long version, long oldest) {
            super("version " + version + " is older than the oldest kept version (" + oldest + ")");
            this.oldest = oldest;
        }

        /** The oldest version that is kept. */
        public long oldest() {
            return oldest;
        }
    }

    /** The version is newer than the last write. */
    public static final class Future extends StoreException {
        private final long current;

        Future(long version, long current) {
            super("version " + version + " is newer than the newest (" + current + ")");
            this.current = current;
        }

        public long current() {
            return current;
        }
    }
}
