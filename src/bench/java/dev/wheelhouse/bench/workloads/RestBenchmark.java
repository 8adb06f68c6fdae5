package dev.wheelhouse.bench.workloads;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A controller manager with nothing to do on a cluster that is full: its CPU time, its memory and its requests, minute
 * by minute. The kubelets renew the Leases of their nodes every ten seconds. Arguments: percent of 5,000 pods, 500
 * nodes and 300 Services; the minutes of each; the contestants, such as {@code REAL,OURS}.
 */
public final class RestBenchmark {
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
            .withZone(ZoneOffset.UTC);
    /** Long, as the times of the election are, so that nothing dies on a machine with other load. */
    private static final String GRACE = "node-monitor-grace-period=1h";
    private static final int REPLICAS = 20;
    private static final Duration WARM_UP = Duration.ofSeconds(60);
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
            + "kube-controller-manager";
    private static final String APPS = "/apis/apps/v1/namespaces/default/deployments";

    private final BenchCluster cluster;
    private final int nodes;
    private final int deployments;
    private final int services;
    private final AuditLog log = new AuditLog();

    private RestBenchmark(BenchCluster cluster, int percent) {
        this.cluster = cluster;
        this.nodes = Math.max(1, 5 * percent);
        this.deployments = Math.max(1, 50 * percent / REPLICAS);
        this.services = 3 * percent;
    }

    public static void main(String[] args) throws Exception {
        try (BenchCluster cluster = new BenchCluster(Files.createTempDirectory("rest"), BenchCluster.ALL);
                ScheduledExecutorService heart = Executors.newScheduledThreadPool(8)) {
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            RestBenchmark benchmark = new RestBenchmark(cluster, Integer.parseInt(args[0]));
            benchmark.fill(heart);
            for (String contestant : args[2].split(",")) {
                benchmark.measure(Contestant.valueOf(contestant), Integer.parseInt(args[1]));
            }
        }
        System.exit(0);
    }

    /** Makes all objects, by the real manager, and waits until every Service has its endpoints. */
    private void fill(ScheduledExecutorService heart) throws Exception {
        for (int i = 0; i < nodes; i++) {
            cluster.addNode(i);
            cluster.call("POST", LEASES, "application/json", "{\"metadata\": {\"name\": \"node-" + i + "\"}, "
                    + renewal().substring(1));
        }
        for (int i = 0; i < nodes; i++) {
            String node = "node-" + i;
            heart.scheduleAtFixedRate(() -> beat(node), 10_000L * i / nodes, 10_000, TimeUnit.MILLISECONDS);
        }
        Process manager = Contestant.REAL.start(cluster, "*", GRACE, "leader-elect=false");
        try (BenchKubelet kubelet = new BenchKubelet(cluster, nodes)) {
            for (int i = 0; i < deployments; i++) {
                cluster.call("POST", APPS, "application/json", """
                        {"metadata": {"name": "web-%1$d"}, "spec": {"replicas": %2$d,
                         "selector": {"matchLabels": {"app": "web-%1$d"}}, "template": {
                         "metadata": {"labels": {"app": "web-%1$d"}},
                         "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}}""".formatted(i, REPLICAS));
            }
            for (int i = 0; i < services; i++) {
                cluster.call("POST", "/api/v1/namespaces/default/services", "application/json", """
                        {"metadata": {"name": "web-%d"}, "spec": {"ports": [{"port": 80}],
                         "selector": {"app": "web-%d"}}}""".formatted(i, i % deployments));
            }
            while (cluster.get(APPS + "?resourceVersion=0").path("items").valueStream()
                    .anyMatch(d -> d.at("/status/availableReplicas").asInt(0) < REPLICAS)
                    || cluster.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?resourceVersion=0")
                            .path("items").valueStream().filter(s -> s.path("endpoints").size() == REPLICAS)
                            .count() < services) {
                Thread.sleep(1000);
            }
        } finally {
            end(manager);
            forget();
        }
        System.out.printf(Locale.ROOT, "%d pods, %d nodes, %d Services%n", deployments * REPLICAS, nodes, services);
    }

    private static String renewal() {
        return "{\"spec\": {\"leaseDurationSeconds\": 40, \"renewTime\": \"" + MICROS.format(Instant.now()) + "\"}}";
    }

    private void beat(String node) {
        try {
            cluster.call("PATCH", LEASES + "/" + node, "application/merge-patch+json", renewal());
        } catch (Exception e) {
            System.err.println("a Lease is not renewed: " + e);
        }
    }

    private void measure(Contestant contestant, int minutes) throws Exception {
        cluster.call("DELETE", LEASE, "", null);
        Process manager = contestant.start(cluster, "*", GRACE, "leader-elect=true",
                "leader-elect-resource-name=kube-controller-manager", "leader-elect-resource-namespace=kube-system",
                "leader-elect-lease-duration=120s", "leader-elect-renew-deadline=100s");
        Runtime.getRuntime().addShutdownHook(new Thread(manager::destroyForcibly));
        try {
            while (cluster.get(LEASE).at("/spec/renewTime").isMissingNode()) {
                Thread.sleep(1000);
            }
            Thread.sleep(WARM_UP);
            Reading first = read(manager);
            System.out.printf(Locale.ROOT, "%n%s, load %s; start and %d s: %.1f s of CPU, %d requests%n", contestant,
                    Files.readString(Path.of("/proc/loadavg")).strip(), WARM_UP.toSeconds(), first.seconds(),
                    first.count());
            Reading before = first;
            for (int i = 0; i < minutes; i++) {
                Thread.sleep(Duration.ofMinutes(1));
                Reading after = read(manager);
                System.out.printf(Locale.ROOT, "  minute %d: %.2f s of CPU, %d requests, %d MiB%n", i + 1,
                        after.seconds() - before.seconds(), after.count() - before.count(),
                        Contestant.memory(manager, "VmRSS"));
                before = after;
            }
            System.out.printf(Locale.ROOT, "  a minute: %.2f s of CPU, %.1f requests%n",
                    (before.seconds() - first.seconds()) / minutes,
                    (before.count() - first.count()) / (double) minutes);
            before.requests.forEach((request, number) -> {
                int more = number - first.requests.getOrDefault(request, 0);
                if (more > 0) {
                    System.out.printf(Locale.ROOT, "    %8.1f %s%n", more / (double) minutes, request);
                }
            });
        } finally {
            end(manager);
            forget();
        }
    }

    /** Counts the requests from now on. */
    private void forget() throws Exception {
        Thread.sleep(2000);
        log.read(cluster.audit());
        base = log.requests();
    }

    private static void end(Process manager) throws InterruptedException {
        manager.destroy();
        if (!manager.waitFor(20, TimeUnit.SECONDS)) {
            manager.destroyForcibly();
        }
    }

    /** The requests of the managers before. */
    private Map<String, Integer> base = Map.of();

    private record Reading(double seconds, Map<String, Integer> requests) {
        int count() {
            return requests.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private Reading read(Process manager) throws Exception {
        if (!manager.isAlive()) {
            throw new IllegalStateException("the manager has ended; see " + cluster.directory());
        }
        double seconds = Contestant.cpu(manager).toMillis() / 1e3;
        // The server writes its log with a delay of a second.
        Thread.sleep(1500);
        log.read(cluster.audit());
        Map<String, Integer> requests = new TreeMap<>(log.requests());
        base.forEach((request, number) -> requests.merge(request, -number, Integer::sum));
        return new Reading(seconds, requests);
    }
}
