package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** How calls that do not depend on each other are made: one after the other, or several at once. */
public interface Parallel {
    /**
     * Makes one call for each item and waits for all. An interrupt is passed on to the calls under way, and stays set.
     *
     * @return the answers, in the order of the items
     */
    <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call);

    /** One after the other on the calling thread, for a system that is stepped. */
    static Parallel inOrder() {
        return new Parallel() {
            @Override
            public <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call) {
                List<R> answers = new ArrayList<>(items.size());
                for (T item : items) {
                    answers.add(call.apply(item));
                }
                return answers;
            }
        };
    }

    /** On virtual threads, for calls that mostly wait. @param atOnce the most calls under way at a time */
    static Parallel virtualThreads(int atOnce) {
        return new VirtualThreads(atOnce);
    }
}
