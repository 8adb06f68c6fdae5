package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs that have nothing to do with each other, each on one thread, as many at a time as there are processors. */
final class Concurrently {
    private Concurrently() {}

    interface Run<T> {
        void accept(T item) throws Exception;
    }

    /** @throws AssertionError the first one, with the number of the others */
    static <T> void forEach(List<T> items, Run<T> run) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            List<Future<?>> results = new ArrayList<>();
            for (T item : items) {
                results.add(threads.submit(() -> {
                    run.accept(item);
                    return null;
                }));
            }
            for (Future<?> result : results) {
                try {
                    result.get();
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.size() + " of " + items.size() + " runs failed, the first: "
                    + failures.getFirst().getMessage(), failures.getFirst());
        }
    }
}
