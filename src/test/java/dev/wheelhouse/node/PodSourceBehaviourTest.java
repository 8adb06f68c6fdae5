package dev.wheelhouse.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.Eventually;
import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.EmbeddedApiServer;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.podconfig.HttpManifests;
import dev.wheelhouse.podconfig.PodConfig;
import dev.wheelhouse.podconfig.PodMerge;
import dev.wheelhouse.podconfig.PodOperation;
import dev.wheelhouse.podconfig.PodSourceMetrics;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodUpdate;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Each line of what is asked of pod sources, as one test; the merge by itself, the rest from the source to the API server. */
class PodSourceBehaviourTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path parent;

    private final List<HttpExchange> requests = new CopyOnWriteArrayList<>();
    private @Nullable HttpServer server;
    private @Nullable NodeHarness node;

    @AfterEach
    void stop() {
        if (node != null) {
            node.agent.close();
        }
        if (server != null) {
            server.stop(0);
        }
    }

    // The merge

    private static V1Pod pod(String name) {
        V1Pod pod = NodeHarness.pod(name, Map.of(), NodeHarness.container("web"));
        pod.getMetadata().uid("uid-of-" + name);
        return pod;
    }

    private static V1Pod changed(V1Pod pod, Consumer<V1Pod> change) {
        V1Pod copy = ModelJson.copy(pod);
        change.accept(copy);
        return copy;
    }

    private static void image(V1Pod pod) {
        pod.getSpec().getContainers().get(0).image("nginx:other");
    }

    private static void status(V1Pod pod) {
        pod.status(new V1PodStatus().phase("Running"));
    }

    private static void deleting(V1Pod pod) {
        pod.getMetadata().deletionTimestamp(Moment.stamp(NOW)).deletionGracePeriodSeconds(5L);
    }

    private static Map<String, V1Pod> having(V1Pod... pods) {
        return PodMerge.merge(Map.of(), PodUpdate.set("api", List.of(pods)), NOW).next();
    }

    private static List<String> merge(Map<String, V1Pod> old, PodOperation operation, V1Pod... pods) {
        return PodMerge.merge(old, new PodUpdate(operation, "api", List.of(pods)), NOW).updates().stream()
                .flatMap(u -> u.pods().stream().map(p -> u.operation() + " " + p.getMetadata().getName())).toList();
    }

    @Test
    void anIdenticalAddIsIgnoredAndAnAddWithAChangedSpecIsAnUpdate() {
        assertThat(merge(having(pod("a")), PodOperation.ADD, pod("a"))).isEmpty();
        assertThat(merge(having(pod("a")), PodOperation.ADD, changed(pod("a"), PodSourceBehaviourTest::image)))
                .containsExactly("UPDATE a");
    }

    @Test
    void aSetIsComparedWithWhatTheSameSourceSetBefore() {
        Map<String, V1Pod> before = having(pod("a"), pod("b"));
        Map<String, Consumer<V1Pod>> differences = Map.of("spec", PodSourceBehaviourTest::image,
                "labels", p -> p.getMetadata().putLabelsItem("a", "b"),
                "annotations", p -> p.getMetadata().annotations(Map.of("a", "b")),
                "spec and status", p -> {
                    image(p);
                    status(p);
                });

        assertThat(merge(before, PodOperation.SET, pod("b"))).as("gone").containsExactly("REMOVE a");
        assertThat(merge(before, PodOperation.SET, pod("a"), pod("b"), pod("c"))).as("new").containsExactly("ADD c");
        differences.forEach((what, change) -> {
            assertThat(merge(before, PodOperation.SET, changed(pod("a"), change), pod("b"))).as(what)
                    .containsExactly("UPDATE a");
            assertThat(merge(before, PodOperation.SET, changed(changed(pod("a"), change), p -> deleting(p)), pod("b")))
                    .as(what + ", being deleted").containsExactly("DELETE a");
        });
        assertThat(merge(before, PodOperation.SET, changed(pod("a"), PodSourceBehaviourTest::deleting), pod("b")))
                .as("deletion fields").containsExactly("DELETE a");
        assertThat(merge(before, PodOperation.SET, changed(pod("a"), PodSourceBehaviourTest::status), pod("b")))
                .as("only the status").containsExactly("RECONCILE a");
    }

    @Test
    void oneMergeGivesRemoveAddUpdateDeleteReconcileInThisOrder() {
        Map<String, V1Pod> before = having(pod("status"), pod("deleted"), pod("updated"), pod("gone"));

        assertThat(merge(before, PodOperation.SET, changed(pod("status"), PodSourceBehaviourTest::status),
                changed(pod("deleted"), PodSourceBehaviourTest::deleting),
                changed(pod("updated"), PodSourceBehaviourTest::image), pod("new"))).containsExactly("REMOVE gone",
                        "ADD new", "UPDATE updated", "DELETE deleted", "RECONCILE status");
    }

    @Test
    void updatesAreDeliveredInOrderOneAtATime() throws InterruptedException {
        PodConfig config = new PodConfig((source, pod, why) -> {}, PodSourceMetrics.NONE, new ManualClock());
        for (int i = 0; i < 5; i++) {
            config.channel("api").set(List.of(pod("p" + i)));
            while (config.loops().get("api").step() == Loop.BUSY) {
                // Until all is merged.
            }
        }
        List<String> delivered = new ArrayList<>();
        for (PodUpdate update = config.updates().poll(); update != null; update = config.updates().poll()) {
            delivered.add(update.operation() + " " + update.pods().get(0).getMetadata().getName());
        }

        assertThat(delivered).containsExactly("ADD p0", "REMOVE p0", "ADD p1", "REMOVE p1", "ADD p2", "REMOVE p2",
                "ADD p3", "REMOVE p3", "ADD p4");
    }

    @Test
    void theFirstSetOfASourceIsPassedOnEvenWhenItIsEmptyAndMarksItAsSeen() throws InterruptedException {
        PodConfig config = new PodConfig((source, pod, why) -> {}, PodSourceMetrics.NONE, new ManualClock());
        config.channel("file").set(List.of());
        assertThat(config.seenAllSources(Set.of("file"))).isFalse();

        config.loops().get("file").step();

        assertThat(Objects.requireNonNull(config.updates().poll()).pods()).isEmpty();
        assertThat(config.seenAllSources(Set.of("file"))).isTrue();
    }

    @Test
    void podsAreCleanedUpOnlyAfterEveryConfiguredSourceHasBeenSeen() throws Exception {
        NodeHarness harness = start();
        write("web", "nginx:1");
        read();
        String uid = harness.agent.runningPods().iterator().next();
        harness.agent.podConfig().channel("one-more");

        Files.delete(directory().resolve("web.yaml"));
        read();
        harness.pass(Duration.ofMinutes(2));
        assertThat(harness.agent.runningPods()).as("one source has said nothing yet").containsExactly(uid);

        harness.agent.podConfig().channel("one-more").set(List.of());
        harness.agent.podConfig().loops().get("one-more").step();
        harness.pass(Duration.ofMinutes(2));
        assertThat(harness.agent.runningPods()).isEmpty();
    }

    @Test
    void everyPodSaysItsSourceWhenItWasFirstSeenAndAStaticOneItsHashAndTheseNeverMakeTwoPodsDiffer()
            throws IOException {
        NodeHarness harness = start();
        write("web", "nginx:1");
        read();
        Map<String, String> annotations = Objects
                .requireNonNull(harness.get("web-node-1").getMetadata().getAnnotations());
        assertThat(annotations).containsEntry("kubernetes.io/config.source", "file")
                .containsKeys("kubernetes.io/config.seen", "kubernetes.io/config.hash");
        harness.create("api-pod");
        assertThat(harness.agent.podConfig().storage().states()).filteredOn(s -> s.source().equals("api"))
                .flatMap(s -> s.pods()).filteredOn(p -> p.getMetadata().getName().equals("api-pod")).singleElement()
                .satisfies(p -> assertThat(p.getMetadata().getAnnotations())
                        .containsEntry("kubernetes.io/config.source", "api").containsKey("kubernetes.io/config.seen")
                        .doesNotContainKey("kubernetes.io/config.hash"));

        for (String local : List.of(PodSources.SOURCE_ANNOTATION, PodSources.SEEN_ANNOTATION,
                PodSources.HASH_ANNOTATION, PodSources.MIRROR_ANNOTATION)) {
            assertThat(merge(having(pod("a")), PodOperation.SET,
                    changed(pod("a"), p -> p.getMetadata().annotations(Map.of(local, "x"))))).as(local).isEmpty();
        }
    }

    @Test
    void theApiServersPodsAreSentInFullSetsAndNothingBeforeTheFirstListIsComplete() {
        NodeHarness harness = new NodeHarness();
        node = harness;
        harness.isolate();
        harness.settle();
        assertThat(harness.agent.podConfig().storage().states()).extracting(s -> s.source()).doesNotContain("api");

        harness.client.noFault();
        harness.pods.create(pod("a"));
        harness.pass(Duration.ofSeconds(30));
        harness.create("b");

        assertThat(harness.agent.podConfig().seenAllSources(Set.of("api"))).isTrue();
        assertThat(staticPods("api")).hasSize(2);
    }

    // Files

    private Path directory() throws IOException {
        return Files.createDirectories(parent.resolve("manifests"));
    }

    private NodeHarness start() throws IOException {
        return start(NodeAgentOptions.hollow("node-1", 0)
                .withManifests(directory(), FileSource.DEFAULT_PERIOD));
    }

    private NodeHarness start(NodeAgentOptions options) {
        NodeHarness made = new NodeHarness(options);
        node = made;
        made.settle();
        return made;
    }

    private static String manifest(String name, String image) {
        return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: '"
                + image + "'}]}\n";
    }

    private void write(String name, String image) throws IOException {
        Files.writeString(directory().resolve(name + ".yaml"), manifest(name, image));
    }

    private void read() {
        Objects.requireNonNull(node).pass(Duration.ofSeconds(25));
    }

    private List<String> staticPods(String source) {
        return Objects.requireNonNull(node).agent.podConfig().storage().states().stream()
                .filter(s -> s.source().equals(source)).flatMap(s -> s.pods().stream())
                .map(p -> p.getMetadata().getName() + " " + p.getSpec().getContainers().get(0).getImage()).toList();
    }

    @Test
    void ofTwoFilesWithOnePodNameTheFirstWinsLoudly() throws IOException {
        NodeHarness harness = start();
        Files.writeString(directory().resolve("a.yaml"), manifest("web", "nginx:first"));
        Files.writeString(directory().resolve("b.yaml"), manifest("web", "nginx:second"));
        read();
        read();

        assertThat(staticPods("file")).containsExactly("web-node-1 nginx:first");
        assertThat(harness.events).filteredOn(e -> e.startsWith("Warning FailedValidation")).singleElement()
                .asString().contains("default/web-node-1").contains("the first one is used");
    }

    @Test
    void aMissingPathIsAnEmptySet() {
        NodeHarness harness = start(
                NodeAgentOptions.hollow("node-1", 0).withManifests(parent.resolve("none"), Duration.ofSeconds(20)));

        assertThat(harness.agent.podConfig().storage().states()).filteredOn(s -> s.source().equals("file"))
                .singleElement().satisfies(s -> {
                    assertThat(s.seen()).isTrue();
                    assertThat(s.pods()).isEmpty();
                });
    }

    @Test
    void filesAreReadInNameOrderDotFilesAndDirectoriesAreSkippedAndARenameIsSeen() throws IOException {
        start();
        for (String name : List.of("c", "a", "b")) {
            write(name, "nginx:1");
        }
        Files.writeString(directory().resolve(".hidden.yaml"), manifest("hidden", "nginx:1"));
        Files.createDirectory(directory().resolve("inner"));
        Files.writeString(directory().resolve("inner/d.yaml"), manifest("d", "nginx:1"));
        read();
        assertThat(staticPods("file")).containsExactly("a-node-1 nginx:1", "b-node-1 nginx:1", "c-node-1 nginx:1");

        Files.move(directory().resolve("b.yaml"), directory().resolve("z.yaml"));
        read();
        assertThat(staticPods("file")).containsExactlyInAnyOrder("a-node-1 nginx:1", "c-node-1 nginx:1",
                "b-node-1 nginx:1");
        Files.move(directory().resolve("a.yaml"), parent.resolve("elsewhere.yaml"));
        read();
        assertThat(staticPods("file")).containsExactlyInAnyOrder("c-node-1 nginx:1", "b-node-1 nginx:1");
    }

    @Test
    void aWriteThatTheFileSystemDoesNotTellOfIsSeenAfterThePeriod() throws IOException {
        assertThat(FileSource.DEFAULT_PERIOD).isEqualTo(Duration.ofSeconds(20));
        Files.writeString(parent.resolve("target"), manifest("web", "nginx:1"));
        Files.createSymbolicLink(directory().resolve("web.yaml"), parent.resolve("target"));
        // Nothing is watched where the file is that the link leads to.
        Path deep = Files.createDirectories(parent.resolve("x/y"));
        Files.move(parent.resolve("target"), deep.resolve("target"));
        Files.delete(directory().resolve("web.yaml"));
        Files.createSymbolicLink(directory().resolve("web.yaml"), deep.resolve("target"));
        NodeHarness harness = start();
        assertThat(staticPods("file")).containsExactly("web-node-1 nginx:1");

        Files.writeString(deep.resolve("target"), manifest("web", "nginx:2"));
        harness.pass(Duration.ofSeconds(18));
        assertThat(staticPods("file")).containsExactly("web-node-1 nginx:1");
        harness.pass(Duration.ofSeconds(3));

        assertThat(staticPods("file")).containsExactly("web-node-1 nginx:2");
    }

    @Test
    void aPodAndItsMirrorAreThereAtOnceThroughTheFileSystemsNotification() throws IOException {
        NodeAgentOptions options = NodeAgentOptions.hollow("node-1", 0).withManifests(directory(), Duration.ofHours(1));
        try (EmbeddedApiServer api = new EmbeddedApiServer(ApiServerOptions.defaults());
                NodeAgent agent = NodeAgent.hollow(options, api.client("node"), EventRecorder.NONE, NodeMetrics.NONE,
                        Clock.system());
                LoopRunner runner = new LoopRunner("test", Clock.system())) {
            ResourceClient<V1Pod> pods = api.client("test").resource(ResourceType.PODS, V1Pod.class);
            agent.start(runner);
            Eventually.eventually("the node is ready", Duration.ofSeconds(20), () -> agent.isReady()
                    && agent.podConfig().seenAllSources(Set.of("file", "api")));
            // The period is an hour: without the notification nothing would come of it.
            long start = System.nanoTime();
            write("web", "nginx:1");
            Eventually.eventually("the mirror runs", Duration.ofSeconds(20),
                    () -> "Running".equals(pods.get(ObjectKey.of("default", "web-node-1")).getStatus().getPhase()));
            long running = System.nanoTime();
            Files.delete(directory().resolve("web.yaml"));
            Eventually.eventually("it is gone", Duration.ofSeconds(20), () -> isGone(pods, "web-node-1"));
            System.out.printf("a static pod's mirror was Running %d ms after the manifest was written, and gone %d ms"
                    + " after it was deleted%n", (running - start) / 1_000_000,
                    (System.nanoTime() - running) / 1_000_000);
        }
    }

    private static boolean isGone(ResourceClient<V1Pod> pods, String name) {
        try {
            pods.get(ObjectKey.of("default", name));
            return false;
        } catch (ApiError e) {
            return e.isNotFound();
        }
    }

    @Test
    void aFileOfMoreThanTenMebibytesIsRefused() throws IOException {
        NodeHarness harness = start();
        Files.writeString(directory().resolve("web.yaml"),
                manifest("web", "nginx:1") + "#".repeat((10 << 20) + 1));
        read();

        assertThat(staticPods("file")).isEmpty();
        assertThat(harness.agent.refusals()).singleElement().asString().contains("larger than 10 MiB");
        assertThat(harness.events).as("on the Node, as there is no pod").singleElement().asString()
                .startsWith("Warning FailedValidation: Manifest refused from file: ").contains("larger than 10 MiB");
    }

    @Test
    void aManifestThatStopsParsingKeepsItsLastGoodPodWithAnEventAndAMetricUntilTheFileIsRemoved() throws IOException {
        NodeHarness harness = start();
        write("web", "nginx:1");
        read();
        String container = harness.status("web-node-1").getContainerID();
        harness.events.clear();

        Files.writeString(directory().resolve("web.yaml"), "apiVersion: v1\nkind: [");
        read();
        assertThat(harness.status("web-node-1").getContainerID()).isEqualTo(container);
        assertThat(harness.events).singleElement().asString().startsWith(
                "Warning FailedValidation: Error validating pod from file: ").contains("web.yaml line 2")
                .endsWith("; the pod runs on as it was");
        assertThat(harness.refusals).as("the metric").containsExactly("file");
        harness.pass(Duration.ofMinutes(31));
        assertThat(harness.events).as("it is said again while it holds, as Events are forgotten").hasSize(2);
        assertThat(harness.refusals).hasSize(1);

        Files.delete(directory().resolve("web.yaml"));
        read();
        harness.pass(Duration.ofSeconds(30));
        assertThat(harness.exists("web-node-1")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"web.yaml~", "web.swp", "web.bak", ".#web.yaml", "#web.yaml#"})
    void backupAndTemporaryFilesAreSkippedWithAMessage(String name) throws IOException {
        try (Logged log = Logged.by("dev.wheelhouse.podconfig.FileSource")) {
            start();
            Files.writeString(directory().resolve(name), manifest("web", "nginx:1"));
            read();
            read();

            assertThat(staticPods("file")).isEmpty();
            if (!name.startsWith(".")) {
                assertThat(log.lines()).singleElement().asString().startsWith("INFO").contains(name)
                        .contains("is skipped: its name is that of a backup or temporary file");
            }
        }
    }

    // HTTP

    private NodeHarness serve(HttpHandler answer, Map<String, List<String>> headers) throws IOException {
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        made.createContext("/", exchange -> {
            requests.add(exchange);
            answer.handle(exchange);
        });
        made.start();
        server = made;
        HttpManifests plain = HttpManifests
                .of(URI.create("http://127.0.0.1:" + made.getAddress().getPort() + "/pods.yaml"));
        return start(NodeAgentOptions.hollow("node-1", 0).withManifestUrl(
                new HttpManifests(plain.url(), headers, plain.period(), plain.timeout(), plain.otherHosts())));
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Test
    void aUrlIsFetchedWithTheConfiguredHeadersEveryTwentySecondsWithATimeoutOfTen() throws IOException {
        NodeHarness harness = serve(e -> reply(e, 200, manifest("web", "nginx:1")),
                Map.of("X-Token", List.of("secret")));
        assertThat(HttpManifests.of(URI.create("http://example.com/")).timeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(requests).hasSize(1);
        harness.pass(Duration.ofMillis(19_900));
        assertThat(requests).hasSize(1);
        harness.pass(Duration.ofMillis(100));

        assertThat(requests).hasSize(2).allSatisfy(r -> {
            assertThat(r.getRequestMethod()).isEqualTo("GET");
            assertThat(r.getRequestHeaders().getFirst("X-Token")).isEqualTo("secret");
        });
    }

    @Test
    void aUrlGivesOnePodOrAPodListAnUnchangedBodyIsNoUpdateAndAnEmptyOneAnEmptySet() throws IOException {
        List<String> bodies = new ArrayList<>(List.of(manifest("web", "nginx:1"), manifest("web", "nginx:1"),
                "{\"apiVersion\":\"v1\",\"kind\":\"PodList\",\"items\":["
                        + "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}},"
                        + "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}]}",
                ""));
        NodeHarness harness = serve(e -> reply(e, 200, bodies.remove(0)), Map.of());
        assertThat(staticPods("http")).containsExactly("web-node-1 nginx:1");
        Instant first = lastMessage(harness);
        harness.pass(Duration.ofSeconds(20));
        assertThat(requests).hasSize(2);
        assertThat(lastMessage(harness)).as("an unchanged body is no update").isEqualTo(first);

        harness.pass(Duration.ofSeconds(20));
        assertThat(staticPods("http")).containsExactly("a-node-1 i", "b-node-1 i");
        harness.pass(Duration.ofSeconds(20));
        assertThat(staticPods("http")).isEmpty();
    }

    private static Instant lastMessage(NodeHarness harness) {
        return Objects.requireNonNull(harness.agent.podConfig().storage().states().stream()
                .filter(s -> s.source().equals("http")).findFirst().orElseThrow().lastMessage());
    }

    @Test
    void theFirstThreeFailuresAreLoggedThenOneLineSaysThatItGoesQuietAndRecoveryIsLogged() throws IOException {
        boolean[] broken = {true};
        try (Logged log = Logged.by("dev.wheelhouse.podconfig.HttpSource")) {
            NodeHarness harness = serve(e -> reply(e, broken[0] ? 503 : 200, manifest("web", "nginx:1")), Map.of());
            harness.pass(Duration.ofMinutes(3));
            assertThat(requests).hasSizeGreaterThan(8);
            assertThat(log.lines()).hasSize(4).allSatisfy(line -> assertThat(line).startsWith("WARN")
                    .contains("/pods.yaml: the server answered 503 where 200 was expected"));
            assertThat(log.lines().subList(0, 3)).noneMatch(line -> line.contains("logs no more"));
            assertThat(log.lines().get(3))
                    .endsWith("; it goes on trying every 20 s, and logs no more until it succeeds");

            broken[0] = false;
            harness.pass(Duration.ofMinutes(1));

            assertThat(log.lines()).hasSize(5);
            assertThat(log.lines().get(4)).startsWith("INFO pods were read from http://").contains("again, after ")
                    .endsWith(" failures");
            assertThat(staticPods("http")).containsExactly("web-node-1 nginx:1");
        }
    }

    @Test
    void aPayloadThatFailsIsNotRememberedAsSeen() throws IOException {
        String[] body = {manifest("web", "nginx:1")};
        NodeHarness harness = serve(e -> reply(e, 200, body[0]), Map.of());
        body[0] = "kind: Deployment\n";
        harness.pass(Duration.ofSeconds(60));
        assertThat(staticPods("http")).containsExactly("web-node-1 nginx:1");
        assertThat(harness.agent.refusals()).as("the same body is refused each time").hasSize(1);
        assertThat(harness.agent.sources()).filteredOn(s -> s.source().equals("http")).singleElement()
                .satisfies(s -> assertThat(s.refusals()).as("and is said once").hasSize(1));

        body[0] = manifest("web", "nginx:2");
        harness.pass(Duration.ofSeconds(20));
        assertThat(staticPods("http")).containsExactly("web-node-1 nginx:2");
        assertThat(harness.agent.refusals()).isEmpty();
    }

    // What makes a pod static

    @Test
    void aStaticPodGetsNameNamespaceUidNodePhaseAndFromAFileAToleration() throws IOException {
        NodeHarness harness = serve(e -> reply(e, 200, manifest("from-url", "nginx:1")), Map.of());
        harness.agent.close();
        NodeAgentOptions both = NodeAgentOptions.hollow("node-1", 0).withManifests(directory(), Duration.ofSeconds(20))
                .withManifestUrl(HttpManifests.of(URI.create(
                        "http://127.0.0.1:" + Objects.requireNonNull(server).getAddress().getPort() + "/pods.yaml")));
        write("from-file", "nginx:1");
        start(both);
        V1Toleration toleration = new V1Toleration().operator("Exists").effect("NoExecute");

        for (String source : List.of("file", "http")) {
            V1Pod pod = Objects.requireNonNull(node).agent.podConfig().storage().states().stream()
                    .filter(s -> s.source().equals(source)).findFirst().orElseThrow().pods().get(0);
            assertThat(pod.getMetadata().getName())
                    .isEqualTo(source.equals("file") ? "from-file-node-1" : "from-url-node-1");
            assertThat(pod.getMetadata().getNamespace()).isEqualTo("default");
            assertThat(pod.getMetadata().getUid()).matches("[0-9a-f]{32}");
            assertThat(pod.getSpec().getNodeName()).isEqualTo("node-1");
            assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
            assertThat(pod.getSpec().getTolerations() == null ? List.of() : pod.getSpec().getTolerations())
                    .isEqualTo(source.equals("file") ? List.of(toleration) : List.of());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "volumes: [{name: v, secret: {secretName: s}}]|Secrets|spec.volumes[0].secret",
            "volumes: [{name: v, configMap: {name: c}}]|ConfigMaps|spec.volumes[0].configMap",
            "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]|PersistentVolumeClaims"
                    + "|spec.volumes[0].persistentVolumeClaim",
            "serviceAccountName: robot|the ServiceAccount \"robot\"|spec.serviceAccountName",
            "imagePullSecrets: [{name: s}]|Secrets|spec.imagePullSecrets",
            "resourceClaims: [{name: r, resourceClaimName: c}]|ResourceClaims|spec.resourceClaims"})
    void aStaticPodThatRefersToAnApiObjectIsRefusedWithAMessageThatNamesTheReference(String field, String what,
            String path) throws IOException {
        NodeHarness harness = start();
        Files.writeString(directory().resolve("web.yaml"),
                "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: c, image: nginx}]\n  "
                        + field + "\n");
        read();

        assertThat(staticPods("file")).isEmpty();
        assertThat(harness.agent.refusals()).singleElement().asString()
                .contains("web.yaml line 6, " + path + ": static pods may not reference " + what);
    }
}
