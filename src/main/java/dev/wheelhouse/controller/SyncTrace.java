package dev.wheelhouse.controller;

import org.jspecify.annotations.Nullable;

/** Follows one sync and its writes, for tracing. Each method does nothing by default. */
public interface SyncTrace {
    SyncTrace NONE = new SyncTrace() {
    };

    /** Follows one write. */
    @FunctionalInterface
    interface OfWrite {
        /**
         * The write ended.
         * @param code the HTTP status of the response; 0 if there was none
         * @param error why it failed; null if it did not
         */
        void ended(int code, @Nullable Throwable error);
    }

    /** A write of this sync begins. Any thread may call it. */
    default OfWrite writing(Action.Write write) {
        return (code, error) -> {};
    }

    /**
     * The sync ended. Called on the thread that began it.
     *
     * @param result see {@link Result#label()}
     * @param error why it failed; null if it did not
     */
    default void ended(String result, @Nullable Throwable error) {}
}
