package dev.wheelhouse;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;

/**
 * A cluster with hollow nodes in this process, and its day, which passes faster than time: heartbeats, rollouts, Jobs,
 * evictions, namespaces that come and go, watches that end, versions that expire, restarts of the API server. The full
 * size is 100 nodes and 5,000 pods. Controllers come from elsewhere, by {@link #kubeconfig}.
 */
final class BusyCluster implements AutoCloseable {
    private static final String SHOP = "shop";
    private static final String LEASES = "heartbeats";
    private static final int REPLICAS = 10;
    private static final Duration SETTLED = Duration.ofMinutes(20);
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
            .withZone(ZoneOffset.UTC);
    private static final String LOOKOUT = """
            {apiVersion: v1, kind: ServiceAccount, metadata: {name: lookout}}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: sees-all}
            rules:
            - {apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}
            - {nonResourceURLs: ["*"], verbs: [get]}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: lookout}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: sees-all}
            subjects: [{kind: ServiceAccount, name: lookout, namespace: default}]
            """;
    private static final String BUDGET = """
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: %1$s, namespace: shop}
            spec: {maxUnavailable: 3, selector: {matchLabels: {app: %1$s}}}
            """;
    private static final String SET = """
            apiVersion: apps/v1
            kind: %2$s
            metadata: {name: %1$s, namespace: shop}
            spec:
              %3$s
              revisionHistoryLimit: 1
              selector: {matchLabels: {app: %1$s}}
              template:
                metadata: {labels: {app: %1$s}}
                spec: {containers: [{name: main, image: "app:0"}]}
            """;
    private static final String JOB_SPEC = """
            {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "job:1"}]}}""";
    private static final String CRON_JOB = """
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: %s, namespace: shop}
            spec: {schedule: "* * * * *", successfulJobsHistoryLimit: 1, jobTemplate: {spec: %s}}}
            """;

    private final TestServer server;
    private final Relay relay;
    private final Path directory;
    private final int percent;
    private final Workloads shop;
    private final KubeClient client;
    private final Map<String, AtomicLong> done = new ConcurrentHashMap<>();
    private final AtomicLong refused = new AtomicLong();

    /** @param percent of the full size */
    BusyCluster(Path directory, int percent) throws IOException {
        this.directory = directory;
        this.percent = percent;
        server = TestServer.builder().nodes(part(100)).start();
        relay = new Relay(URI.create(server.url()).getPort());
        client = server.server().client("user");
        shop = new Workloads(client, SHOP);
    }

    private int part(int full) {
        return Math.max(2, full * percent / 100);
    }

    /** A kubeconfig for the way that is cut when the API server restarts. */
    Path kubeconfig() throws IOException {
        return Files.writeString(directory.resolve("busy.kubeconfig"), Files.readString(server.kubeconfig())
                .replace(server.url(), "http://127.0.0.1:" + relay.port()));
    }

    /** A token that may read everything. */
    String token() throws ApiException {
        server.user().create(LOOKOUT);
        return new CoreV1Api(server.apiClient()).createNamespacedServiceAccountToken("lookout", "default",
                new AuthenticationV1TokenRequest().spec(new V1TokenRequestSpec().audiences(List.of())
                        .expirationSeconds(86_400L)))
                .execute().getStatus().getToken();
    }

    /** Creates what the day finds, and waits until all of it runs. Controllers must run already. */
    void populate() {
        for (int i = 0; i < deployments(); i++) {
            V1Deployment deployment = shop.newDeployment("web-" + i, REPLICAS);
            deployment.getSpec().setRevisionHistoryLimit(1);
            shop.deployments().create(deployment);
        }
        for (int i = 0; i < part(50); i++) {
            server.user().create(BUDGET.formatted("web-" + i));
        }
        for (int i = 0; i < part(20); i++) {
            server.user().create(SET.formatted("db-" + i, "StatefulSet", "replicas: 3\n  serviceName: db"));
        }
        server.user().create(SET.formatted("agent", "DaemonSet", "minReadySeconds: 0"));
        for (int i = 0; i < part(480); i++) {
            server.user().create(CRON_JOB.formatted("cron-" + i, JOB_SPEC));
        }
        client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                .create(new V1Namespace().metadata(new V1ObjectMeta().name(LEASES)));
        for (int i = 0; i < part(100) + 2; i++) {
            client.resource(ResourceType.LEASES, V1Lease.class)
                    .create(new V1Lease().metadata(new V1ObjectMeta().namespace(LEASES).name("lease-" + i)));
        }
        client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .create(new V1ConfigMap().metadata(new V1ObjectMeta().namespace(SHOP).name("state")));
        awaitSettled();
    }

    private int deployments() {
        return part(500);
    }

    /** Waits until every rollout is complete. */
    void awaitSettled() {
        eventually("all rollouts are complete", SETTLED, () -> {
            // Each look reads everything, so there are few.
            LockSupport.parkNanos(500_000_000);
            List<V1Deployment> all = shop.list(shop.deployments(), Map.of());
            return all.size() == deployments() && all.stream().allMatch(Workloads::isComplete)
                    && server.user().all(V1StatefulSet.class).stream().allMatch(
                            set -> Integer.valueOf(3).equals(set.getStatus().getAvailableReplicas()))
                    && server.user().all(V1DaemonSet.class).stream().allMatch(
                            set -> Integer.valueOf(part(100)).equals(set.getStatus().getNumberAvailable()));
        });
    }

    /** Starts the day, which ends after a time. @return opens at its end */
    CountDownLatch play(Duration length) {
        Instant morning = Instant.now();
        double speed = 86_400e9 / Duration.ofMinutes(30).toNanos();
        long start = System.nanoTime();
        List<Chore> chores = chores(() -> morning.plusNanos((long) ((System.nanoTime() - start) * speed)));
        CountDownLatch open = new CountDownLatch(chores.size() + 1);
        for (Chore chore : chores) {
            done.put(chore.name, new AtomicLong());
            // A chore that is late does not wait, and would keep virtual threads from running.
            Thread.ofPlatform().daemon().name(chore.name).start(() -> {
                try {
                    repeat(chore, start, length, speed);
                } finally {
                    open.countDown();
                }
            });
        }
        Thread.ofVirtual().name("restarts").start(() -> {
            restart(start, length);
            open.countDown();
        });
        return open;
    }

    /** The number of requests for chores that the API server refused, such as conflicts. */
    long refused() {
        return refused.get();
    }

    /** How often each chore was done. */
    Map<String, Long> done() {
        Map<String, Long> counts = new TreeMap<>();
        done.forEach((name, count) -> counts.put(name, count.get()));
        return counts;
    }

    /** @param perDay in a cluster of the full size */
    private record Chore(String name, long perDay, LongConsumer action) {}

    private interface Time {
        Instant now();
    }

    private List<Chore> chores(Time day) {
        List<Chore> chores = new ArrayList<>();
        chores.add(new Chore("Leases of nodes", 864_000, n -> renew(n % part(100), day)));
        chores.add(new Chore("Leases of leaders", 86_400, n -> renew(part(100) + n % 2, day)));
        chores.add(new Chore("statuses of nodes", 864_000, n -> patch(ResourceType.NODES, V1Node.class,
                ObjectKey.cluster("node-" + (n % part(100) + 1)), "status", """
                        {"status": {"conditions": [{"type": "Ready", "lastHeartbeatTime": "%s"}]}}"""
                        .formatted(day.now()))));
        chores.add(new Chore("ConfigMaps", 28_800, n -> patch(ResourceType.CONFIG_MAPS, V1ConfigMap.class,
                shop.key("state"), "", "{\"data\": {\"state\": \"" + n + "\"}}")));
        chores.add(new Chore("Jobs of pipelines", 14_400, this::job));
        chores.add(new Chore("rollouts", 1_500, n -> shop.setImage(web(n), "app:v" + n)));
        chores.add(new Chore("scalings", 2_880, n -> shop.scale(web(n / 2 * 7), REPLICAS + 2 - (int) (n % 2) * 2)));
        chores.add(new Chore("evictions", 2_880, this::evict));
        chores.add(new Chore("updates of StatefulSets", 48, n -> patch(ResourceType.STATEFUL_SETS, V1StatefulSet.class,
                shop.key("db-" + n % part(20)), "", image(n))));
        chores.add(new Chore("updates of DaemonSets", 3, n -> patch(ResourceType.DAEMON_SETS, V1DaemonSet.class,
                shop.key("agent"), "", image(n))));
        chores.add(new Chore("namespaces", 96, this::preview));
        // The API server of a real cluster forgets Events after an hour, and ends watches after half an hour or more.
        chores.add(new Chore("expiries of Events", 24 * 100 / percent, n -> client
                .resource(ResourceType.EVENTS, CoreV1Event.class).deleteCollection(SHOP, Deletion.unconditional())));
        chores.add(new Chore("ends of watches", 32 * 100 / percent, n -> server.faults().cutWatches()));
        chores.add(new Chore("expiries of versions", 6 * 100 / percent, n -> {
            server.faults().compactNow();
            server.faults().cutWatches();
        }));
        return chores;
    }

    private String web(long n) {
        return "web-" + n % deployments();
    }

    private static String image(long n) {
        return """
                {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:v%d"}]}}}}"""
                .formatted(n);
    }

    private void renew(long lease, Time day) {
        patch(ResourceType.LEASES, V1Lease.class, ObjectKey.of(LEASES, "lease-" + lease), "",
                "{\"spec\": {\"renewTime\": \"" + MICROS.format(day.now()) + "\"}}");
    }

    private <T extends KubernetesObject> void patch(ResourceType type, Class<T> model, ObjectKey key,
            String subresource, String body) {
        client.resource(type, model).patch(key, subresource, PatchType.STRATEGIC_MERGE, body);
    }

    private void job(long n) {
        V1Job job = Yaml.loadAs("{apiVersion: batch/v1, kind: Job, metadata: {name: pipeline-" + n + "}, spec: "
                + JOB_SPEC + ", ttlSecondsAfterFinished: 2}}", V1Job.class);
        job.getMetadata().setNamespace(SHOP);
        client.resource(ResourceType.JOBS, V1Job.class).create(job);
    }

    private void evict(long n) {
        List<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class).list(SHOP,
                LabelSelector.of(Map.of("app", web(n * 11))), FieldSelector.everything(), ListOptions.consistent(0))
                .items();
        if (!pods.isEmpty()) {
            shop.pods().delete(ObjectKey.of(pods.getFirst()), Deletion.unconditional());
        }
    }

    /** Makes a namespace with a Deployment, and deletes the one before. */
    private void preview(long n) {
        Workloads preview = new Workloads(client, "preview-" + n);
        preview.deployments().create(preview.newDeployment("web", 2));
        if (n > 0) {
            client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .delete(ObjectKey.cluster("preview-" + (n - 1)), Deletion.unconditional());
        }
    }

    private void repeat(Chore chore, long start, Duration length, double speed) {
        double nanosBetween = 86_400e9 / chore.perDay / speed * 100 / percent;
        for (long n = 0;; n++) {
            long due = start + (long) (n * nanosBetween);
            if (due - start >= length.toNanos()) {
                return;
            }
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            try {
                chore.action.accept(n);
                done.get(chore.name).incrementAndGet();
            } catch (KubeApiException e) {
                refused.incrementAndGet();
            }
        }
    }

    /** Three times the API server is away for a while, and no watch can resume. */
    private void restart(long start, Duration length) {
        for (int quarter = 1; quarter < 4; quarter++) {
            long due = start + length.toNanos() / 4 * quarter;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            relay.cut();
            server.faults().compactNow();
            LockSupport.parkNanos(Math.min(length.toNanos() / 20, TimeUnit.SECONDS.toNanos(10)));
            relay.mend();
        }
    }

    @Override
    public void close() throws IOException {
        relay.close();
        server.close();
    }
}
