package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes calls that are likely to fail for the same reason, such as a quota, in growing batches: one, two, four, ….
 * After a batch with a failure, the rest is skipped (upstream: {@code slowStartBatch} in
 * {@code pkg/controller/replicaset/replica_set.go}).
 */
final class SlowStartBatch {
    private SlowStartBatch() {}

    /**
     * @param call returns a result for a failure too, and does not throw
     * @return the results of the calls that were made, in order; later items were skipped
     */
    static <T, R> List<R> run(List<T> items, Parallel parallel, Function<? super T, ? extends R> call,
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
