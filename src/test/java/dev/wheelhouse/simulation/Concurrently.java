package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Runs independent jobs, one thread each, as many at a time as there are processors. */
public final class Concurrently {
    /** The time without a finished job, in minutes, after which the running jobs count as stuck. */
    private static final int MINUTES = 5;
    private static final int SHOWN = 3;

    private Concurrently() {}

    /** A job. */
    public interface Run<T> {
        void accept(T item) throws Exception;
    }

    /** @throws AssertionError with the first few failures in full, and the first lines of the others */
    public static <T> void forEach(List<T> items, Run<T> run) throws InterruptedException {
        List<String> failures = new ArrayList<>();
        Throwable first = null;
        Map<T, Thread> running = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            Map<T, Future<?>> results = new LinkedHashMap<>();
            for (T item : items) {
                results.put(item, threads.submit(() -> {
                    running.put(item, Thread.currentThread());
                    run.accept(item);
                    running.remove(item);
                    return null;
                }));
            }
            for (Map.Entry<T, Future<?>> result : results.entrySet()) {
                try {
                    result.getValue().get(MINUTES, TimeUnit.MINUTES);
                } catch (ExecutionException e) {
                    first = first == null ? e.getCause() : first;
                    String message = String.valueOf(e.getCause());
                    failures.add(failures.size() < SHOWN ? message : message.lines().findFirst().orElse(""));
                } catch (TimeoutException e) {
                    throw new AssertionError(
                            result.getKey() + " does not end; it is at\n" + stack(running.get(result.getKey())), e);
                }
            }
        } finally {
            threads.shutdownNow();
        }
        if (first != null) {
            throw new AssertionError(failures.size() + " of " + items.size() + " runs failed\n"
                    + String.join("\n\n", failures), first);
        }
    }

    private static String stack(Thread thread) {
        return thread == null
                ? "no thread"
                : Arrays.stream(thread.getStackTrace()).map(String::valueOf).collect(Collectors.joining("\n"));
    }
}
