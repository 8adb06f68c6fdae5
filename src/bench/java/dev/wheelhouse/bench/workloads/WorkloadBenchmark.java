package dev.wheelhouse.bench.workloads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

/**
 * Workloads from creation to completion and back to nothing, by the real kube-controller-manager and by Wheelhouse, one
 * after the other on one real kube-apiserver. Arguments: percent of the full size; the contestants, such as
 * {@code REAL,OURS}.
 */
public final class WorkloadBenchmark {
    private static final int USERS = 8;
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final String NAMESPACE = "/namespaces/bench/";
    /** In one process of a contestant: the second round shows a warm one. */
    private static final int ROUNDS = Integer.getInteger("rounds", 1);
    /** The controllers of both contestants. */
    private static final String CONTROLLERS = System.getProperty("controllers", Contestant.WORKLOADS);
    /** The verbs of the requests to count. */
    private static final String LOGGED = Boolean.getBoolean("reads") ? BenchCluster.ALL : BenchCluster.WRITES;
    /** A pattern of the titles of phases to measure. */
    private static final String ONLY = System.getProperty("only", ".*");
    private static final String TEMPLATE = """
            {"metadata": {"labels": {"app": "%1$s"}}, "spec": {%2$s
             "containers": [{"name": "app", "image": "app:1"}]}}""";

    private final BenchCluster cluster;
    private final int percent;
    private final AuditLog log = new AuditLog();

    /** @param complete whether one of the objects has reached its goal */
    private record Kind(String title, String path, int count, IntFunction<String> manifest,
            Predicate<JsonNode> complete) {}

    private WorkloadBenchmark(BenchCluster cluster, int percent) {
        this.cluster = cluster;
        this.percent = percent;
    }

    public static void main(String[] args) throws Exception {
        int percent = Integer.parseInt(args[0]);
        Path directory = Files.createTempDirectory("bench");
        try (BenchCluster cluster = new BenchCluster(directory, LOGGED)) {
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            WorkloadBenchmark benchmark = new WorkloadBenchmark(cluster, percent);
            benchmark.prepare();
            for (String contestant : args[1].split(",")) {
                benchmark.run(Contestant.valueOf(contestant));
            }
        }
        System.exit(0);
    }

    private int size(int full) {
        return Math.max(1, full * percent / 100);
    }

    private void prepare() throws Exception {
        System.out.printf(Locale.ROOT, "%d %% of the full size, %d processors%n", percent,
                Runtime.getRuntime().availableProcessors());
        cluster.call("POST", "/api/v1/namespaces", "application/json", "{\"metadata\": {\"name\": \"bench\"}}");
        for (int i = 0; i < size(200); i++) {
            cluster.addNode(i);
        }
    }

    private void run(Contestant contestant) throws Exception {
        Process manager = contestant.start(cluster, CONTROLLERS, "leader-elect=false");
        Runtime.getRuntime().addShutdownHook(new Thread(manager::destroyForcibly));
        try (BenchKubelet kubelet = new BenchKubelet(cluster, size(200))) {
            for (int round = 1; round <= ROUNDS; round++) {
                System.out.printf("%n%s, round %d, load %s%n", contestant, round, load());
                measureAll(manager);
            }
        } finally {
            manager.destroy();
            if (!manager.waitFor(20, TimeUnit.SECONDS)) {
                manager.destroyForcibly();
            }
        }
    }

    private void measureAll(Process manager) throws Exception {
        measure(manager, new Kind("warm-up", "apps/v1" + NAMESPACE + "deployments", 1,
                i -> apps("warm-up", "\"replicas\": 1,"), d -> d.at("/status/readyReplicas").asInt(0) == 1));
        measureRollouts(manager, new Kind("Deployments of 10", "apps/v1" + NAMESPACE + "deployments", size(100),
                i -> apps("web-" + i, "\"replicas\": 10,"), WorkloadBenchmark::isRolledOut));
        measure(manager, new Kind("StatefulSets of 3", "apps/v1" + NAMESPACE + "statefulsets", size(500),
                i -> apps("set-" + i, "\"replicas\": 3, \"serviceName\": \"set\","),
                s -> s.at("/status/availableReplicas").asInt(0) == 3));
        measure(manager, new Kind("DaemonSets on " + size(200) + " nodes", "apps/v1" + NAMESPACE + "daemonsets",
                size(50), i -> apps("agent-" + i, ""), d -> d.at("/status/numberAvailable").asInt(0) == size(200)));
        Predicate<JsonNode> finished = j -> j.at("/status").has("completionTime");
        measure(manager, new Kind("Jobs of 5", "batch/v1" + NAMESPACE + "jobs", size(1800),
                i -> job("job-" + i, 5, ""), finished));
        measure(manager, new Kind("Indexed Jobs of 100", "batch/v1" + NAMESPACE + "jobs", size(200),
                i -> job("indexed-" + i, 100, "\"completionMode\": \"Indexed\","), finished));
        if ("CronJobs".matches(ONLY)) {
            measureDue(manager);
        }
    }

    private static String load() throws IOException {
        Path load = Path.of("/proc/loadavg");
        return Files.exists(load) ? Files.readString(load).strip() : "unknown";
    }

    private static String apps(String name, String spec) {
        return """
                {"metadata": {"name": "%1$s"}, "spec": {%2$s "selector": {"matchLabels": {"app": "%1$s"}},
                 "template": %3$s}}""".formatted(name, spec, TEMPLATE.formatted(name, ""));
    }

    private static String job(String name, int pods, String spec) {
        return """
                {"metadata": {"name": "%s"}, "spec": %s}""".formatted(name, jobSpec(name, pods, spec));
    }

    private static String jobSpec(String name, int pods, String spec) {
        return "{" + spec + "\"completions\": " + pods + ", \"parallelism\": " + pods + ", \"template\": "
                + TEMPLATE.formatted(name, "\"restartPolicy\": \"Never\",") + "}";
    }

    private void measure(Process manager, Kind kind) throws Exception {
        if (!kind.title.matches(ONLY)) {
            return;
        }
        measureCreation(manager, kind);
        remove(manager, kind);
    }

    /** @return the reading when all are complete */
    private Reading measureCreation(Process manager, Kind kind) throws Exception {
        Reading before = read(manager);
        long start = System.nanoTime();
        create(kind);
        await(kind, start);
        double seconds = seconds(start);
        Reading created = read(manager);
        report(kind.title + ", complete", kind.count, seconds, before, created);
        return created;
    }

    private static boolean isRolledOut(JsonNode deployment) {
        JsonNode status = deployment.path("status");
        return status.path("observedGeneration").asInt(0) == deployment.at("/metadata/generation").asInt()
                && Stream.of("replicas", "updatedReplicas", "availableReplicas")
                        .allMatch(field -> status.path(field).asInt(0) == 10);
    }

    /** Deployments that are created, get another image, and are deleted. */
    private void measureRollouts(Process manager, Kind kind) throws Exception {
        if (!kind.title.matches(ONLY)) {
            return;
        }
        Reading created = measureCreation(manager, kind);
        long start = System.nanoTime();
        inParallel(kind.count, i -> cluster.call("PATCH", "/apis/" + kind.path + "/web-" + i,
                "application/strategic-merge-patch+json", """
                        {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}}}"""));
        await(kind, start);
        double seconds = seconds(start);
        report(kind.title + ", updated", kind.count, seconds, created, read(manager));
        remove(manager, kind);
    }

    /** CronJobs that are due in the same minute: from that minute until all their Jobs are complete. */
    private void measureDue(Process manager) throws Exception {
        int count = size(500);
        Kind crons = new Kind("CronJobs", "batch/v1" + NAMESPACE + "cronjobs", count, i -> """
                {"metadata": {"name": "cron-%1$d"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": %2$s}}}"""
                .formatted(i, jobSpec("cron-" + i, 1, "")), c -> c.at("/status").has("lastSuccessfulTime"));
        // All are created within the first half of a minute.
        Instant now = Instant.now();
        Instant next = now.truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
        if (now.isAfter(next.minusSeconds(35))) {
            Thread.sleep(Duration.between(now, next.plusSeconds(1)).toMillis());
            next = next.plusSeconds(60);
        }
        create(crons);
        Reading before = read(manager);
        Thread.sleep(Math.max(0, Duration.between(Instant.now(), next).toMillis()));
        long start = System.nanoTime();
        await(crons, start);
        double seconds = seconds(start);
        report("CronJobs due at once, Jobs complete", count, seconds, before, read(manager));
        remove(manager, crons);
    }

    private void create(Kind kind) throws Exception {
        inParallel(kind.count, i -> cluster.call("POST", "/apis/" + kind.path, "application/json",
                kind.manifest.apply(i)));
    }

    private void await(Kind kind, long start) throws Exception {
        while (true) {
            long complete = cluster.get("/apis/" + kind.path + "?resourceVersion=0").path("items").valueStream()
                    .filter(kind.complete).count();
            if (complete >= kind.count) {
                return;
            }
            check(kind, start, complete + " of " + kind.count + " are complete");
            Thread.sleep(100);
        }
    }

    private void check(Kind kind, long start, String state) {
        if (System.nanoTime() - start > PATIENCE.toNanos()) {
            throw new IllegalStateException(kind.title + ": " + state + " after " + PATIENCE);
        }
    }

    private void remove(Process manager, Kind kind) throws Exception {
        Reading before = read(manager);
        long start = System.nanoTime();
        List<String> names = cluster.get("/apis/" + kind.path + "?resourceVersion=0").path("items").valueStream()
                .map(o -> o.at("/metadata/name").asString()).toList();
        inParallel(names.size(), i -> cluster.call("DELETE", "/apis/" + kind.path + "/" + names.get(i),
                "application/json", "{\"propagationPolicy\": \"Background\"}"));
        while (true) {
            JsonNode pods = cluster.get("/api/v1" + NAMESPACE + "pods?limit=1");
            if (pods.path("items").isEmpty()) {
                break;
            }
            check(kind, start, "pods are left");
            Thread.sleep(100);
        }
        double seconds = seconds(start);
        report(kind.title + ", deleted", names.size(), seconds, before, read(manager));
    }

    private interface Request {
        JsonNode send(int number) throws IOException, InterruptedException;
    }

    private static void inParallel(int count, Request request) throws Exception {
        Semaphore users = new Semaphore(USERS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int number = i;
                all.add(threads.submit(() -> {
                    users.acquireUninterruptibly();
                    try {
                        return request.send(number);
                    } finally {
                        users.release();
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private record Reading(Duration manager, Duration server, long memory, Map<String, Integer> writes) {}

    private Reading read(Process manager) throws Exception {
        if (!manager.isAlive()) {
            throw new IllegalStateException("the manager has ended; see " + cluster.directory());
        }
        Duration cpu = Contestant.cpu(manager);
        Duration server = cluster.cpu();
        // The server writes its log with a delay of a second.
        Thread.sleep(1500);
        log.read(cluster.audit());
        return new Reading(cpu, server, Contestant.memory(manager, "VmRSS"), log.requests());
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static void report(String phase, int count, double seconds, Reading before, Reading after) {
        System.out.printf(Locale.ROOT,
                "  %d %s: %.1f s; CPU of the manager %.1f s (%.1f ms each), of the API server and etcd %.1f s; "
                        + "memory of the manager %d MiB%n",
                count, phase, seconds,
                after.manager.minus(before.manager).toMillis() / 1e3,
                after.manager.minus(before.manager).toMillis() / (double) count,
                after.server.minus(before.server).toMillis() / 1e3, after.memory);
        Map<String, Integer> writes = new TreeMap<>(after.writes);
        before.writes.forEach((write, number) -> writes.merge(write, -number, Integer::sum));
        writes.values().removeIf(number -> number == 0);
        double events = writes.entrySet().stream().filter(w -> w.getKey().contains(" events"))
                .mapToInt(Map.Entry::getValue).sum();
        double refused = writes.entrySet().stream().filter(w -> w.getKey().matches(".* \\d+"))
                .mapToInt(Map.Entry::getValue).sum();
        double all = writes.values().stream().mapToInt(Integer::intValue).sum();
        System.out.printf(Locale.ROOT, "    writes each: %.2f, of them %.2f Events and %.2f refused%n", all / count,
                events / count, refused / count);
        writes.forEach((write, number) -> System.out.printf(Locale.ROOT, "    %10.2f %s%n", number / (double) count,
                write));
    }
}
