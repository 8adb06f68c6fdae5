package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Tries many calls that are likely to fail for one reason, such as a quota: first one, then two, then four, …, and none after
 * a batch in which one failed (upstream: {@code slowStartBatch} in {@code pkg/controller/replicaset/replica_set.go}).
 */
public final class SlowStartBatch {
    private SlowStartBatch() {}

    /**
     * @param call answers for a failure too, and does not throw
     * @return the answers of all that were tried, in order; items beyond them were not tried
     */
    public static <T, R> List<R> run(List<T> items, Parallel parallel, Function<? super T, ? extends R> call,
            Predicate<? super R> failed) {
        List<R> answers = new ArrayList<>(items.size());
        int size = 1;
        while (answers.size() < items.size()) {
            int from = answers.size();
            List<R> batch = parallel.map(items.subList(from, Math.min(items.size(), from + size)), call);
            answers.addAll(batch);
            if (batch.stream().anyMatch(failed)) {
                break;
            }
            size *= 2;
        }
        return answers;
    }
}
