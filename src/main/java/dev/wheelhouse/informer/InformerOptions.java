package dev.wheelhouse.informer;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How informers behave. Start from {@link #defaults()}.
 *
 * @param freshStart the first list is a consistent read, not one from the server's cache: for controllers that have just
 *     started or become leader
 * @param watchList stream the initial state by a watch (KEP-3157) where the server can do it
 * @param watchListDeadline how long the end of the initial events may take after the last of them, before it falls back to a list
 * @param pageSize items of one page of a paged list
 * @param watchTimeout the shortest time after which the server is asked to end a watch; up to twice that by chance
 * @param silenceDeadline a watch that brings nothing for so long, not even a bookmark, is taken for dead
 * @param batch most watch events that are handed on in one step, and most keys that the informer loop handles in one
 * @param pendingBound notifications that wait for one handler before updates of one UID are merged
 * @param detectMutations compare each cached object with what it was when it came, for tests
 * @param seed of the jitter, or null for a random one
 */
public record InformerOptions(boolean freshStart, boolean watchList, Duration watchListDeadline, int pageSize,
        Duration watchTimeout, Duration silenceDeadline, int batch, int pendingBound, boolean detectMutations,
        @Nullable Long seed) {
    public static InformerOptions defaults() {
        return new InformerOptions(true, false, Duration.ofSeconds(10), 500, Duration.ofMinutes(5),
                Duration.ofSeconds(150),
                256, 4096, false, null);
    }

    public InformerOptions withFreshStart(boolean on) {
        return new InformerOptions(on, watchList, watchListDeadline, pageSize, watchTimeout, silenceDeadline, batch,
                pendingBound, detectMutations, seed);
    }

    public InformerOptions withWatchList(boolean on) {
        return new InformerOptions(freshStart, on, watchListDeadline, pageSize, watchTimeout, silenceDeadline, batch,
                pendingBound, detectMutations, seed);
    }

    public InformerOptions withPageSize(int items) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, items, watchTimeout, silenceDeadline,
                batch,
                pendingBound, detectMutations, seed);
    }

    public InformerOptions withSilenceDeadline(Duration deadline) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout, deadline, batch,
                pendingBound, detectMutations, seed);
    }

    /** @param size 1 for the finest steps, in a simulation */
    public InformerOptions withBatch(int size) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout, silenceDeadline,
                size,
                pendingBound, detectMutations, seed);
    }

    public InformerOptions withPendingBound(int bound) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout, silenceDeadline,
                batch,
                bound, detectMutations, seed);
    }

    public InformerOptions withMutationDetection(boolean on) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout, silenceDeadline,
                batch,
                pendingBound, on, seed);
    }

    public InformerOptions withSeed(long value) {
        return new InformerOptions(freshStart, watchList, watchListDeadline, pageSize, watchTimeout, silenceDeadline,
                batch,
                pendingBound, detectMutations, value);
    }
}
