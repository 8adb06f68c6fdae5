package dev.wheelhouse.controller;

import java.util.List;
import java.util.function.Function;

/** Runs calls that do not depend on each other: one after the other, or several at once. */
public interface Parallel {
    /**
     * Makes one call per item and waits for all. An interrupt is passed on to the running calls, and stays set. If a
     * call throws, the first exception is thrown; the calls for other items may have been made or not.
     *
     * @return the results, in the order of the items
     */
    <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call);

    /** Runs the calls one after the other on the calling thread, for a system that is stepped by hand. */
    static Parallel inOrder() {
        return new Parallel() {
            @Override
            public <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call) {
                return items.stream().<R>map(call).toList();
            }
        };
    }

    /**
     * Runs the calls on virtual threads, for calls that mostly wait. They have the logging context (MDC) of the caller.
     * @param atOnce the maximum number of concurrent calls
     */
    static Parallel virtualThreads(int atOnce) {
        return new VirtualThreads(atOnce);
    }
}
