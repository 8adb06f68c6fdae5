package dev.wheelhouse.informer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How informers behave. Start from {@link #defaults()} or {@link #builder()}.
 *
 * @param freshStart the first list is a consistent read, not one from the server's cache: for controllers that have just
 *     started or become leader
 * @param watchList stream the initial state by a watch (KEP-3157) where the server can do it: easier on the server's memory, but in
 *     a fresh process a fifth more CPU here than a list, and a request for nothing where kube-apiserver's etcd is older than 3.4.31
 *     or 3.5.13
 * @param watchListDeadline how long the end of the initial events may take after the last of them, before it falls back to a list
 * @param pageSize items of one page of a paged list
 * @param watchTimeout the shortest time after which the server is asked to end a watch; up to twice that by chance
 * @param silenceDeadline a watch that brings nothing for so long, not even a bookmark, is taken for dead
 * @param batch most watch events that are handed on in one step, and most keys that the informer loop handles in one
 * @param pendingBound notifications that wait for one handler before updates of one UID are merged
 * @param dropLastApplied leave the value of the annotation {@code kubectl.kubernetes.io/last-applied-configuration} out of the
 *     cache. A PUT by this client puts it back, by a read; one by another client would write it empty
 * @param detectMutations compare each cached object with what it was when it came, for tests
 * @param seed of the jitter, or null for a random one
 */
public record InformerOptions(boolean freshStart, boolean watchList, Duration watchListDeadline, int pageSize,
        Duration watchTimeout, Duration silenceDeadline, int batch, int pendingBound, boolean dropLastApplied,
        boolean detectMutations, @Nullable Long seed) {
    private static final InformerOptions DEFAULTS = new InformerOptions(true, false, Duration.ofSeconds(10), 500,
            Duration.ofMinutes(5), Duration.ofSeconds(150), 256, 4096, false, false, null);

    /** What the service runs with. */
    public static InformerOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that begins with the defaults. */
    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    /** A builder that begins with these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Sets options one by one. Each method is explained at the record's component of its name. */
    public static final class Builder {
        private boolean freshStart;
        private boolean watchList;
        private Duration watchListDeadline;
        private int pageSize;
        private Duration watchTimeout;
        private Duration silenceDeadline;
        private int batch;
        private int pendingBound;
        private boolean dropLastApplied;
        private boolean detectMutations;
        private @Nullable Long seed;

        private Builder(InformerOptions from) {
            freshStart = from.freshStart;
            watchList = from.watchList;
            watchListDeadline = from.watchListDeadline;
            pageSize = from.pageSize;
            watchTimeout = from.watchTimeout;
            silenceDeadline = from.silenceDeadline;
            batch = from.batch;
            pendingBound = from.pendingBound;
            dropLastApplied = from.dropLastApplied;
            detectMutations = from.detectMutations;
            seed = from.seed;
        }

        public Builder freshStart(boolean on) {
            freshStart = on;
            return this;
        }

        public Builder watchList(boolean on) {
            watchList = on;
            return this;
        }

        public Builder watchListDeadline(Duration deadline) {
            watchListDeadline = deadline;
            return this;
        }

        public Builder pageSize(int items) {
            pageSize = items;
            return this;
        }

        public Builder watchTimeout(Duration shortest) {
            watchTimeout = shortest;
            return this;
        }

        public Builder silenceDeadline(Duration deadline) {
            silenceDeadline = deadline;
            return this;
        }

        /** @param size 1 for the finest steps, in a simulation */
        public Builder batch(int size) {
            batch = size;
            return this;
        }

        public Builder pendingBound(int bound) {
            pendingBound = bound;
            return this;
        }

        public Builder dropLastApplied(boolean on) {
            dropLastApplied = on;
            return this;
        }

        public Builder detectMutations(boolean on) {
            detectMutations = on;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** @throws IllegalArgumentException if an option is out of its range */
        public InformerOptions build() {
            positive("pageSize", pageSize);
            positive("batch", batch);
            positive("pendingBound", pendingBound);
            return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout,
                    silenceDeadline, batch, pendingBound, dropLastApplied, detectMutations, seed);
        }

        private static void positive(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException("the informer option " + name + " is " + value
                        + ": it has to be 1 or more");
            }
        }
    }
}
