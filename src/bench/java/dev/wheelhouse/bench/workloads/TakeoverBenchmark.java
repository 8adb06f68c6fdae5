package dev.wheelhouse.bench.workloads;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Rollouts during which one controller manager takes over from the other, by the Lease of kube-controller-manager: from
 * the real one to Wheelhouse, back, and once more each after the leader was killed. Each rollout needs one new pod and
 * one deletion for each replica; the API server's log shows the pods that were made and deleted. Argument: the
 * Deployments, of 5 replicas each.
 */
public final class TakeoverBenchmark {
    private static final int REPLICAS = 5;
    private static final int NODES = 50;
    private static final String PATH = "/apis/apps/v1/namespaces/default/deployments";
    /** The nodes give no sign of life, so the time without one is long. */
    private static final String[] OPTIONS = {"leader-elect=true", "leader-elect-resource-name=kube-controller-manager",
            "leader-elect-resource-namespace=kube-system", "node-monitor-grace-period=1h"};

    private final BenchCluster cluster;
    private final int deployments;
    private final AuditLog log = new AuditLog();
    private int image = 1;

    private TakeoverBenchmark(BenchCluster cluster, int deployments) {
        this.cluster = cluster;
        this.deployments = deployments;
    }

    public static void main(String[] args) throws Exception {
        try (BenchCluster cluster = new BenchCluster(Files.createTempDirectory("takeover"), BenchCluster.WRITES)) {
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            new TakeoverBenchmark(cluster, Integer.parseInt(args[0])).run();
        }
        System.exit(0);
    }

    private void run() throws Exception {
        for (int i = 0; i < NODES; i++) {
            cluster.addNode(i);
        }
        Process leader = start(Contestant.REAL);
        Contestant next = Contestant.OURS;
        try (BenchKubelet kubelet = new BenchKubelet(cluster, NODES)) {
            for (int i = 0; i < deployments; i++) {
                cluster.call("POST", PATH, "application/json", """
                        {"metadata": {"name": "web-%1$d"}, "spec": {"replicas": %2$d,
                         "selector": {"matchLabels": {"app": "web-%1$d"}}, "template": {
                         "metadata": {"labels": {"app": "web-%1$d"}},
                         "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}}""".formatted(i, REPLICAS));
            }
            await("availableReplicas", deployments * REPLICAS);
            System.out.printf(Locale.ROOT, "%d Deployments of %d pods, load %s%n", deployments, REPLICAS,
                    Files.readString(Path.of("/proc/loadavg")).strip());
            for (boolean kill : new boolean[]{false, false, true, true}) {
                leader = handOver(leader, next, kill);
                next = next == Contestant.OURS ? Contestant.REAL : Contestant.OURS;
            }
        } finally {
            leader.destroyForcibly();
        }
    }

    private Process start(Contestant contestant) throws Exception {
        Process manager = contestant.start(cluster, "*", OPTIONS);
        Runtime.getRuntime().addShutdownHook(new Thread(manager::destroyForcibly));
        return manager;
    }

    /** Ends the leader when half of the pods have the new image. @return the manager that went on */
    private Process handOver(Process leader, Contestant next, boolean kill) throws Exception {
        Process standby = start(next);
        // The standby fills its caches.
        Thread.sleep(30_000);
        log.read(cluster.audit());
        Map<String, Integer> before = log.requests();
        image++;
        long start = System.nanoTime();
        IntStream.range(0, deployments).parallel().forEach(i -> patch("web-" + i));
        await("updatedReplicas", deployments * REPLICAS / 2);
        if (kill) {
            leader.destroyForcibly();
        } else {
            leader.destroy();
        }
        long ended = System.nanoTime();
        if (!leader.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the leader did not end");
        }
        await("updatedReplicas", deployments * REPLICAS / 2 + deployments);
        double pause = (System.nanoTime() - ended) / 1e9;
        await("availableReplicas", deployments * REPLICAS);
        double seconds = (System.nanoTime() - start) / 1e9;
        Thread.sleep(5000);
        log.read(cluster.audit());
        Map<String, Integer> after = log.requests();
        System.out.printf(Locale.ROOT, "to %s%s: rollouts %.1f s, going on after %.1f s; pods made %d, deleted %d; "
                + "each needed %d%n", next, kill ? ", by SIGKILL" : "", seconds, pause,
                more("create pods", before, after), more("delete pods", before, after), deployments * REPLICAS);
        after.forEach((request, number) -> System.out.printf(Locale.ROOT, "    %6d %s%n",
                number - before.getOrDefault(request, 0), request));
        return standby;
    }

    private static int more(String request, Map<String, Integer> before, Map<String, Integer> after) {
        return after.getOrDefault(request, 0) - before.getOrDefault(request, 0);
    }

    private void patch(String name) {
        try {
            cluster.call("PATCH", PATH + "/" + name, "application/strategic-merge-patch+json", """
                    {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:%d"}]}}}}"""
                    .formatted(image));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the status of all Deployments together has a number, and no old pods are left if it is the last. */
    private void await(String field, int wanted) throws Exception {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(15);
        while (true) {
            int sum = cluster.get(PATH + "?resourceVersion=0").path("items").valueStream()
                    .mapToInt(d -> Math.min(d.at("/status/" + field).asInt(0), left(d))).sum();
            if (sum >= wanted) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException(field + " is " + sum + " of " + wanted);
            }
            Thread.sleep(200);
        }
    }

    private static int left(tools.jackson.databind.JsonNode deployment) {
        boolean seen = deployment.at("/status/observedGeneration").asInt(0) >= deployment.at("/metadata/generation")
                .asInt(0);
        return seen ? deployment.at("/status/updatedReplicas").asInt(0) : 0;
    }
}
