package dev.wheelhouse.informer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The options of informers. Start from {@link #defaults()} or {@link #builder()}.
 *
 * @param freshStart whether the first list is a consistent read instead of a read from the server's cache. A controller
 *     that has just started or become leader needs it.
 * @param watchList whether a watch streams the initial state (KEP-3157) where the server supports it. The server needs
 *     less memory for a stream than for a list; a new process here needs a fifth more CPU. kube-apiserver refuses the
 *     stream if its etcd is older than 3.4.31 or 3.5.13.
 * @param pageSize the objects per page of a paged list
 * @param silenceDeadline a watch that brings no event for this long, not even a bookmark, counts as broken. After a
 *     silent watch that had missed nothing, the timeout of the next one is added: the server sends no bookmarks while
 *     nothing changes, as kube-apiserver does if etcd reports no progress.
 * @param batch the most watch events that are read in one step, and that the informer loop handles in one
 * @param pendingBound the number of notifications waiting for one handler above which updates of one UID are merged
 * @param dropLastApplied whether the cache leaves out the value of the annotation
 *     {@code kubectl.kubernetes.io/last-applied-configuration}. An update (PUT) with this project's client reads the
 *     value from the server and puts it back; an update with another client would empty it.
 * @param minResync the least time until a handler without a period of its own sees all cached objects again; the
 *     longest is twice that. Zero for never; 36,500 days at most
 * @param detectMutations whether each cached object is compared with its state on arrival, for tests
 * @param seed the seed of the jitter; null for a random one
 */
public record InformerOptions(boolean freshStart, boolean watchList, int pageSize, Duration silenceDeadline, int batch,
        int pendingBound, boolean dropLastApplied, Duration minResync, boolean detectMutations, @Nullable Long seed) {
    private static final InformerOptions DEFAULTS = new InformerOptions(true, false, 500, Duration.ofSeconds(150), 256,
            4096, false, Duration.ZERO, false, null);

    private static final Duration LONGEST_RESYNC = Duration.ofDays(36_500);

    /** The default options, which the service uses. */
    public static InformerOptions defaults() {
        return DEFAULTS;
    }

    /** A builder that starts with the defaults. */
    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    /** A builder that starts with these options. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /**
     * Sets options one by one. The record's component of the same name explains each method. Options without a method
     * keep the value that the builder started with.
     */
    public static final class Builder {
        private boolean freshStart;
        private boolean watchList;
        private int pageSize;
        private Duration silenceDeadline;
        private int batch;
        private int pendingBound;
        private boolean dropLastApplied;
        private Duration minResync;
        private boolean detectMutations;
        private @Nullable Long seed;

        private Builder(InformerOptions from) {
            freshStart = from.freshStart;
            watchList = from.watchList;
            pageSize = from.pageSize;
            silenceDeadline = from.silenceDeadline;
            batch = from.batch;
            pendingBound = from.pendingBound;
            dropLastApplied = from.dropLastApplied;
            minResync = from.minResync;
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

        public Builder pageSize(int items) {
            pageSize = items;
            return this;
        }

        public Builder silenceDeadline(Duration deadline) {
            silenceDeadline = deadline;
            return this;
        }

        /** @param size 1 gives the smallest steps, for a simulation */
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

        public Builder minResync(Duration period) {
            minResync = period;
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
            if (minResync.isNegative() || minResync.compareTo(LONGEST_RESYNC) > 0) {
                throw new IllegalArgumentException("the informer option minResync is " + minResync
                        + ": it must be from 0 s to " + LONGEST_RESYNC.toDays() + " days");
            }
            return new InformerOptions(freshStart, watchList, pageSize, silenceDeadline, batch, pendingBound,
                    dropLastApplied, minResync, detectMutations, seed);
        }

        private static void positive(String name, int value) {
            if (value < 1) {
                throw new IllegalArgumentException("the informer option " + name + " is " + value
                        + ": it must be 1 or more");
            }
        }
    }
}
