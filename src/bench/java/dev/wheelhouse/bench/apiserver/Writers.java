package dev.wheelhouse.bench.apiserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients that write as fast as they are answered: each creates a pod, patches its status, patches a label and deletes
 * it, again and again.
 */
final class Writers {
    private static final int NODES = 1_000;

    private Writers() {}

    /** The outcome of a run. @param nanos of each write, sorted */
    record Outcome(long writes, double seconds, long[] nanos) {
        double perSecond() {
            return writes / seconds;
        }

        double millis(double percentile) {
            int at = (int) Math.min(nanos.length - 1, Math.round(nanos.length * percentile / 100));
            return nanos[at] / 1e6;
        }
    }

    /** Writes for some seconds. @param calls opened by each client */
    static Outcome write(Callable<PodCalls> calls, int clients, double seconds) throws Exception {
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        List<long[]> all = inParallel(clients, client -> cycle(calls, client, end));
        double took = (System.nanoTime() - start) / 1e9;
        long[] nanos = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        return new Outcome(nanos.length, took, nanos);
    }

    /** Creates so many pods that stay. */
    static Outcome fill(Endpoint endpoint, int clients, int pods) throws Exception {
        long start = System.nanoTime();
        List<long[]> all = inParallel(clients, client -> {
            Times times = new Times();
            try (PodCalls calls = PodCalls.over(endpoint)) {
                for (int i = client; i < pods; i += clients) {
                    String name = "pod-" + i;
                    String node = "node-" + i % NODES;
                    times.take(() -> calls.create(name, node));
                }
            }
            return times.nanos();
        });
        double took = (System.nanoTime() - start) / 1e9;
        long[] nanos = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        return new Outcome(nanos.length, took, nanos);
    }

    private static long[] cycle(Callable<PodCalls> calls, int client, long end) throws Exception {
        Times times = new Times();
        try (PodCalls pods = calls.call()) {
            for (int i = 0; System.nanoTime() < end; i++) {
                String name = "load-" + client + "-" + i;
                String node = "node-" + (client * 7919 + i) % NODES;
                times.take(() -> pods.create(name, node));
                times.take(() -> pods.reportRunning(name));
                times.take(() -> pods.label(name));
                times.take(() -> pods.delete(name));
            }
        }
        return times.nanos();
    }

    private interface Client {
        long[] run(int number) throws Exception;
    }

    private static List<long[]> inParallel(int clients, Client client) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<long[]>> tasks = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int number = i;
                tasks.add(() -> client.run(number));
            }
            List<long[]> all = new ArrayList<>();
            for (Future<long[]> done : threads.invokeAll(tasks)) {
                all.add(done.get());
            }
            return all;
        } catch (ExecutionException e) {
            throw new IOException("a client failed: " + e.getCause(), e);
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    private static final class Times {
        private long[] nanos = new long[1024];
        private int count;

        void take(Call call) throws IOException {
            long before = System.nanoTime();
            call.run();
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, count * 2);
            }
            nanos[count++] = System.nanoTime() - before;
        }

        long[] nanos() {
            return Arrays.copyOf(nanos, count);
        }
    }
}
