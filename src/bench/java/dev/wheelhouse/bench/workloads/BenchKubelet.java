package dev.wheelhouse.bench.workloads;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import tools.jackson.databind.JsonNode;

/**
 * All nodes and their scheduler: pods are bound, run and become ready, those of Jobs succeed, those that terminate end.
 * Each of these changes is one request, made when the watch shows the change before.
 */
final class BenchKubelet implements AutoCloseable {
    private static final int AT_ONCE = 32;
    private static final String READY = """
            {"status": {"phase": "Running", "startTime": "%1$s", "podIPs": [{"ip": "%2$s"}], "conditions": [
             {"type": "Ready", "status": "True", "lastTransitionTime": "%1$s"}]}}""";
    private static final String SUCCEEDED = """
            {"status": {"phase": "Succeeded", "conditions": [
             {"type": "Ready", "status": "False", "reason": "PodCompleted", "lastTransitionTime": "%1$s"}]}}""";

    private final BenchCluster cluster;
    private final int nodes;
    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final Semaphore permits = new Semaphore(AT_ONCE);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger addresses = new AtomicInteger();
    private final AtomicInteger next = new AtomicInteger();
    private volatile boolean closed;

    BenchKubelet(BenchCluster cluster, int nodes) {
        this.cluster = cluster;
        this.nodes = nodes;
        threads.submit(() -> follow());
    }

    private void follow() {
        String version = "";
        while (!closed) {
            try {
                if (version.isEmpty()) {
                    JsonNode list = cluster.get("/api/v1/pods");
                    list.path("items").forEach(pod -> react("ADDED", pod));
                    version = list.at("/metadata/resourceVersion").asString();
                }
                version = follow(version);
            } catch (IOException | InterruptedException | RuntimeException e) {
                if (!closed) {
                    System.err.println("the kubelet lists again: " + e);
                    version = "";
                }
            }
        }
    }

    /** Follows a watch to its end. @return the version to continue from; empty if there is none */
    private String follow(String from) throws IOException, InterruptedException {
        String version = from;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                cluster.watch("/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=" + version),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode event = BenchCluster.JSON.readTree(line);
                if (event.path("type").asString("").equals("ERROR")) {
                    return "";
                }
                version = event.at("/object/metadata/resourceVersion").asString();
                react(event.path("type").asString(""), event.path("object"));
            }
        }
        return version;
    }

    private void react(String type, JsonNode pod) {
        String uid = pod.at("/metadata/uid").asString("");
        if (type.equals("BOOKMARK")) {
            return;
        }
        if (type.equals("DELETED")) {
            for (String change : new String[]{"bind", "run", "succeed", "end"}) {
                done.remove(change + uid);
            }
            return;
        }
        String phase = pod.at("/status/phase").asString("Pending");
        String path = "/api/v1/namespaces/" + pod.at("/metadata/namespace").asString() + "/pods/"
                + pod.at("/metadata/name").asString();
        boolean ofJob = pod.at("/metadata/labels").has("batch.kubernetes.io/job-name");
        if (pod.path("metadata").has("deletionTimestamp")) {
            act("end" + uid, "DELETE", path, "{\"gracePeriodSeconds\": 0}");
        } else if (pod.at("/spec/nodeName").asString("").isEmpty()) {
            act("bind" + uid, "POST", path + "/binding", """
                    {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
                     "target": {"kind": "Node", "name": "%s"}}""".formatted(pod.at("/metadata/name").asString(),
                    node(pod)));
        } else if (phase.equals("Pending")) {
            act("run" + uid, "PATCH", path + "/status", READY.formatted(now(), address()));
        } else if (ofJob && phase.equals("Running")) {
            act("succeed" + uid, "PATCH", path + "/status", SUCCEEDED.formatted(now()));
        }
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private String address() {
        int number = addresses.incrementAndGet();
        return "10.244." + (number >> 8 & 255) + "." + (number & 255);
    }

    private String node(JsonNode pod) {
        String wanted = pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                + "/nodeSelectorTerms/0/matchFields/0/values/0").asString("");
        return wanted.isEmpty() ? "node-" + next.getAndIncrement() % nodes : wanted;
    }

    private void act(String change, String method, String path, String body) {
        if (!done.add(change)) {
            return;
        }
        threads.submit(() -> {
            permits.acquireUninterruptibly();
            try {
                cluster.call(method, path, method.equals("PATCH")
                        ? "application/strategic-merge-patch+json"
                        : "application/json", body);
            } catch (IOException | IllegalStateException e) {
                if (!closed) {
                    System.err.println("the kubelet failed: " + e);
                }
            } finally {
                permits.release();
            }
            return null;
        });
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
    }
}
