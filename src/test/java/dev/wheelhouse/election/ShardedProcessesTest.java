package dev.wheelhouse.election;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.Sizes;
import dev.wheelhouse.WheelhouseProcess;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Processes that share the namespaces of one embedded API server, and lose each other. */
@Timeout(3600)
@Tag("processes")
@Tag("full")
class ShardedProcessesTest {
    private static final int KILLS = Sizes.of("wheelhouse.shards.kills", 0, 0, 100);
    private static final int PODS = Sizes.of("wheelhouse.shards.pods", 500, 500, 20_000);
    private static final int PROCESSES = Sizes.of("wheelhouse.shards.processes", 2, 2, 4);
    private static final int SHARDS = 8;
    private static final int NAMESPACES = 80;
    /** A lead that even a starved process renews in time, and one that soon passes to another; in seconds. */
    private static final int UNLOST = 60;
    private static final int SHORT = 5;
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final List<String> LOSSES = List.of("killed", "asked to end", "suspended");
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, Replica> replicas = new ConcurrentHashMap<>();
    private final Random random = new Random(1);
    @TempDir
    private Path directory;
    private int started;

    private record Replica(WheelhouseProcess process, int port) {}

    private Replica start(TestServer server, String... options) throws IOException {
        int port = RealApiServer.freePort();
        List<String> all = new ArrayList<>(List.of("--server.port=" + port,
                "--wheelhouse.kubeconfig=" + server.kubeconfig(), "--wheelhouse.controllers=deployment,replicaset"));
        all.addAll(List.of(options));
        return new Replica(new WheelhouseProcess(directory, all.toArray(String[]::new)), port);
    }

    /** @param lease for how long a lead lasts without its renewal, in seconds */
    private void startReplica(TestServer server, int lease) throws IOException {
        replicas.put("replica-" + ++started, start(server, "--wheelhouse.shards=" + SHARDS,
                "--wheelhouse.leader-election.resource-namespace=default",
                "--wheelhouse.leader-election.lease-duration=" + lease + "s",
                "--wheelhouse.leader-election.renew-deadline=" + lease * 3 / 5 + "s",
                "--wheelhouse.leader-election.retry-period=500ms"));
    }

    /** The number of shards of each holder. */
    private static Map<String, Integer> holders(KubeClient user) {
        Map<String, Integer> holders = new TreeMap<>();
        user.resource(ResourceType.LEASES, V1Lease.class).list("default", LabelSelector.everything(),
                FieldSelector.everything(), ListOptions.consistent(0)).items().stream()
                .filter(lease -> ObjectKey.of(lease).name().contains("-shard-"))
                .forEach(lease -> holders.merge(String.valueOf(lease.getSpec().getHolderIdentity()), 1, Integer::sum));
        return holders;
    }

    private static boolean isSpread(KubeClient user, int processes) {
        Map<String, Integer> holders = holders(user);
        return holders.size() == processes && !holders.containsKey("") && !holders.containsKey("null")
                && holders.values().stream().allMatch(count -> count == SHARDS / processes);
    }

    /** The sum of a metric's series with a label. */
    private double metric(Replica replica, String name, String label) throws Exception {
        assertThat(replica.process.isAlive()).as(() -> "it runs, and says: " + replica.process.output()).isTrue();
        String text = http.send(HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + replica.port + "/actuator/prometheus")).build(),
                HttpResponse.BodyHandlers.ofString()).body();
        return text.lines().filter(line -> line.startsWith(name + "{") && line.contains(label))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    private double pods(Replica replica) throws Exception {
        return metric(replica, "informer_objects", "resource=\"pods\"");
    }

    private double events(Replica replica) throws Exception {
        return metric(replica, "reflector_events_total", "resource=\"pods\"");
    }

    /** The bytes of live objects, in megabytes. */
    private static double heap(Replica replica) throws Exception {
        Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(replica.process.pid()), "GC.class_histogram").redirectErrorStream(true).start();
        String text = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher total = TOTAL.matcher(text);
        assertThat(total.find()).as(text).isTrue();
        return Long.parseLong(total.group(1)) / 1e6;
    }

    private static KubeClient namespaces(TestServer server) {
        KubeClient user = server.client();
        IntStream.range(0, NAMESPACES).forEach(i -> user.resource(ResourceType.NAMESPACES, V1Namespace.class)
                .create(new V1Namespace().metadata(new V1ObjectMeta().name(namespace(i)))));
        return user;
    }

    /** Numbers at the end of a name hardly change the high digits of its hash, so they are in front. */
    private static String namespace(int number) {
        return "n" + number + "-team";
    }

    @Test
    void eachProcessHasItsShareOfThePodsAndOfTheEvents() throws Exception {
        try (TestServer server = TestServer.builder().controllers(false).nodes(0).start()) {
            KubeClient user = namespaces(server);
            Replica whole = start(server, "--wheelhouse.manage=observe");
            try {
                for (int i = 0; i < PROCESSES; i++) {
                    startReplica(server, UNLOST);
                }
                eventually("all shards are led", SOON, () -> isSpread(user, PROCESSES));
                List<Replica> all = new ArrayList<>(List.of(whole));
                all.addAll(replicas.values());
                whole.process.awaitReady();
                List<Double> before = heaps(all);
                var pods = user.resource(ResourceType.PODS, V1Pod.class);
                for (int i = 0; i < PODS; i++) {
                    pods.create(pod(i));
                }
                eventually("the caches have the pods", SOON, () -> sum(this::pods) == PODS && pods(whole) == PODS);
                List<Double> after = heaps(all);
                List<Double> eventsBefore = each(all, this::events);
                for (int i = 0; i < PODS; i++) {
                    pods.patch(ObjectKey.of(namespace(i % NAMESPACES), "p-" + i), "", PatchType.MERGE,
                            "{\"metadata\": {\"labels\": {\"changed\": \"yes\"}}}");
                }
                eventually("the events have arrived", SOON, () -> events(whole) - eventsBefore.getFirst() >= PODS
                        && sum(this::events) - eventsBefore.stream().skip(1).mapToDouble(d -> d).sum() >= PODS);
                List<Double> cached = each(all, this::pods);
                for (int i = 0; i < all.size(); i++) {
                    System.out.printf(Locale.ROOT, "%s: %.0f pods, %.0f events, heap %.2f MB + %.2f MB%n",
                            i == 0 ? "one process with all" : "one of " + PROCESSES, cached.get(i),
                            events(all.get(i)) - eventsBefore.get(i), before.get(i), after.get(i) - before.get(i));
                    if (i > 0) {
                        assertThat(cached.get(i)).isBetween(0.4 * PODS / PROCESSES, 1.6 * PODS / PROCESSES);
                        assertThat(events(all.get(i)) - eventsBefore.get(i))
                                .isBetween(0.4 * PODS / PROCESSES, 1.8 * PODS / PROCESSES);
                    }
                }
            } finally {
                whole.process.close();
                replicas.values().forEach(replica -> replica.process.close());
            }
        }
    }

    private static V1Pod pod(int number) {
        String json = """
                {"metadata": {"namespace": "%s", "name": "p-%d", "labels": {"app": "a%d"},
                 "annotations": {"note": "%s"}}, "spec": {"containers": [{"name": "c", "image": "app:%d",
                 "env": [{"name": "ID", "value": "%d"}]}]}}""";
        return ModelJson.read(json.formatted(namespace(number % NAMESPACES), number, number,
                ("value " + number + " ").repeat(60), number, number), V1Pod.class);
    }

    @FunctionalInterface
    private interface Measure {
        double of(Replica replica) throws Exception;
    }

    private static List<Double> each(List<Replica> all, Measure measure) throws Exception {
        List<Double> values = new ArrayList<>();
        for (Replica replica : all) {
            values.add(measure.of(replica));
        }
        return values;
    }

    private static List<Double> heaps(List<Replica> all) throws Exception {
        return each(all, ShardedProcessesTest::heap);
    }

    private double sum(Measure measure) throws Exception {
        return each(List.copyOf(replicas.values()), measure).stream().mapToDouble(d -> d).sum();
    }

    /**
     * A process is killed, asked to end, or suspended for longer than its Leases last, while Deployments grow. If two
     * processes worked on one of them, there would be too many pods for some time.
     */
    @Test
    void processesThatAreKilledLeaveNoNamespaceAloneAndNoneToTwo() throws Exception {
        assumeTrue(KILLS > 0, "processes are killed with -Dsize=long");
        try (TestServer server = TestServer.builder().controllers(false).nodes(0).start()) {
            KubeClient user = namespaces(server);
            int[] wanted = new int[NAMESPACES];
            var deployments = user.resource(ResourceType.DEPLOYMENTS, V1Deployment.class);
            for (int i = 0; i < NAMESPACES; i++) {
                V1Deployment web = Workloads.web();
                web.getMetadata().setNamespace(namespace(i));
                web.getSpec().replicas(1);
                deployments.create(web);
                wanted[i] = 1;
            }
            List<Double> times = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    startReplica(server, SHORT);
                }
                eventually("all shards are led", SOON, () -> isSpread(user, 4));
                for (int kill = 0; kill < KILLS; kill++) {
                    String victim = List.copyOf(replicas.keySet()).get(random.nextInt(replicas.size()));
                    Replica replica = replicas.get(victim);
                    for (int i = kill % 4; i < NAMESPACES; i += 4) {
                        wanted[i]++;
                        deployments.patch(ObjectKey.of(namespace(i), "web"), "", PatchType.MERGE,
                                "{\"spec\": {\"replicas\": " + wanted[i] + "}}");
                    }
                    boolean suspended = kill % 3 == 2;
                    long began = System.nanoTime();
                    switch (kill % 3) {
                        case 0 -> replica.process.kill();
                        case 1 -> replica.process.terminate();
                        default -> replica.process.suspend();
                    }
                    replicas.remove(victim);
                    eventually("the others lead its shards", SOON, () -> {
                        noPodIsTooMany(user, wanted);
                        Map<String, Integer> holders = holders(user);
                        return holders.size() == 3 && !holders.containsKey("");
                    });
                    times.add((System.nanoTime() - began) / 1e9);
                    System.out.printf(Locale.ROOT, "loss %d, %s: others led its shards after %.1f s%n", kill + 1,
                            LOSSES.get(kill % 3), times.getLast());
                    if (suspended) {
                        replica.process.resume();
                        replicas.put(victim, replica);
                    } else {
                        startReplica(server, SHORT);
                    }
                    eventually("the shards are spread again", SOON, () -> {
                        noPodIsTooMany(user, wanted);
                        // The leader ends when it finds that it has lost the lead. A cluster starts it again.
                        if (replicas.values().removeIf(each -> !each.process.isAlive())) {
                            startReplica(server, SHORT);
                        }
                        return isSpread(user, 4);
                    });
                    eventually("each Deployment has its pods", SOON, () -> noPodIsTooMany(user, wanted));
                }
                for (int kind = 0; kind < 3; kind++) {
                    int one = kind;
                    List<Double> sorted = IntStream.range(0, times.size()).filter(i -> i % 3 == one)
                            .mapToObj(times::get).sorted().toList();
                    if (!sorted.isEmpty()) {
                        System.out.printf(Locale.ROOT,
                                "%d times %s: the others led its shards after %.1f s (median), %.1f s (most)%n",
                                sorted.size(), LOSSES.get(kind),
                                sorted.get(sorted.size() / 2), sorted.getLast());
                    }
                }
            } finally {
                replicas.values().forEach(replica -> replica.process.close());
            }
        }
    }

    /** @return whether each Deployment has exactly its pods */
    private static boolean noPodIsTooMany(KubeClient user, int[] wanted) {
        Map<String, Integer> pods = new TreeMap<>();
        user.resource(ResourceType.PODS, V1Pod.class).list("", LabelSelector.everything(),
                FieldSelector.everything(), ListOptions.consistent(0)).items()
                .forEach(pod -> pods.merge(ObjectKey.of(pod).namespace(), 1, Integer::sum));
        for (int i = 0; i < NAMESPACES; i++) {
            assertThat(pods.getOrDefault(namespace(i), 0)).as("pods in %s", namespace(i))
                    .isLessThanOrEqualTo(wanted[i]);
        }
        return IntStream.range(0, NAMESPACES).allMatch(i -> pods.getOrDefault(namespace(i), 0) == wanted[i]);
    }
}
