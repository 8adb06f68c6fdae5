package dev.wheelhouse.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.podconfig.FileSource;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The requirements of pod sources, mainly files, one test each, from the source to the API server. */
@Isolated
class PodSourceBehaviourTest {
    @TempDir
    Path parent;

    private @Nullable NodeHarness node;

    @AfterEach
    void stop() {
        if (node != null) {
            node.agent.close();
        }
    }

    @Test
    void podsAreCleanedUpOnlyAfterEveryConfiguredSourceHasBeenSeen() throws Exception {
        NodeHarness harness = start();
        write("web", "nginx:1");
        read();
        String uid = harness.agent.knownPods().iterator().next();
        harness.agent.podConfig().channel("one-more");

        Files.delete(directory().resolve("web.yaml"));
        read();
        harness.pass(Duration.ofMinutes(2));
        assertThat(harness.agent.knownPods()).as("one source has said nothing yet").containsExactly(uid);

        harness.agent.podConfig().channel("one-more").set(List.of());
        harness.agent.podConfig().loops().get("one-more").step();
        harness.pass(Duration.ofMinutes(2));
        assertThat(harness.agent.knownPods()).isEmpty();
    }

    @Test
    void everyPodSaysItsSourceWhenItWasFirstSeenAndAStaticOneItsHash() throws IOException {
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
    }

    @Test
    void theApiServersPodsAreSentInFullSetsAndNothingBeforeTheFirstListIsComplete() {
        NodeHarness harness = new NodeHarness();
        node = harness;
        harness.isolate();
        harness.settle();
        assertThat(harness.agent.podConfig().storage().states()).extracting(s -> s.source()).doesNotContain("api");

        harness.cluster.requests.noFault();
        harness.pods.create(NodeHarness.pod("a", Map.of(), NodeHarness.container("web")));
        harness.pass(Duration.ofSeconds(30));
        harness.create("b");

        assertThat(harness.agent.podConfig().seenAllSources(Set.of("api"))).isTrue();
        assertThat(Objects.requireNonNull(node).podsOf("api")).hasSize(2);
    }

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

    private void write(String name, String image) throws IOException {
        Files.writeString(directory().resolve(name + ".yaml"), NodeHarness.manifest(name, image));
    }

    private void read() {
        Objects.requireNonNull(node).pass(Duration.ofSeconds(25));
    }

    @Test
    void aWriteThatTheFileSystemDoesNotTellOfIsSeenAfterThePeriod() throws IOException {
        assertThat(FileSource.DEFAULT_PERIOD).isEqualTo(Duration.ofSeconds(20));
        // The file system reports a write by the name that it is made by; a file may have another one.
        Path deep = Files.createDirectories(parent.resolve("x/y"));
        Files.writeString(deep.resolve("target"), NodeHarness.manifest("web", "nginx:1"));
        Files.createLink(directory().resolve("web.yaml"), deep.resolve("target"));
        NodeHarness harness = start();
        assertThat(Objects.requireNonNull(node).podsOf("file")).containsExactly("web-node-1 nginx:1");

        Files.writeString(deep.resolve("target"), NodeHarness.manifest("web", "nginx:2"));
        harness.pass(Duration.ofSeconds(18));
        assertThat(Objects.requireNonNull(node).podsOf("file")).containsExactly("web-node-1 nginx:1");
        harness.pass(Duration.ofSeconds(3));

        assertThat(Objects.requireNonNull(node).podsOf("file")).containsExactly("web-node-1 nginx:2");
    }

    @Test
    void aPodAndItsMirrorAreThereAtOnceThroughTheFileSystemsNotification() throws IOException {
        NodeAgentOptions options = NodeAgentOptions.hollow("node-1", 0).withManifests(directory(), Duration.ofHours(1));
        try (ApiServer api = new ApiServer(ApiServerOptions.defaults());
                NodeAgent agent = NodeAgent.registered(options, api.client("node"), EventRecorder.NONE, Meters.NONE,
                        Clock.system());
                LoopRunner runner = new LoopRunner("test", Clock.system())) {
            ResourceClient<V1Pod> pods = api.client("test").resource(ResourceType.PODS, V1Pod.class);
            agent.start(runner);
            Eventually.eventually("the node is ready", Duration.ofMinutes(2), () -> agent.isReady()
                    && agent.podConfig().seenAllSources(Set.of("file", "api")));
            // The period is an hour, so only the notification can cause the read.
            long start = System.nanoTime();
            write("web", "nginx:1");
            Eventually.eventually("the mirror runs", Duration.ofMinutes(2),
                    () -> "Running".equals(pods.get(ObjectKey.of("default", "web-node-1")).getStatus().getPhase()));
            long running = System.nanoTime();
            Files.delete(directory().resolve("web.yaml"));
            Eventually.eventually("it is gone", Duration.ofMinutes(2), () -> isGone(pods, "web-node-1"));
            System.out.printf("a static pod's mirror was Running %d ms after the manifest was written, and gone %d ms"
                    + " after it was deleted%n", (running - start) / 1_000_000,
                    (System.nanoTime() - running) / 1_000_000);
        }
    }

    private static boolean isGone(ResourceClient<V1Pod> pods, String name) {
        try {
            pods.get(ObjectKey.of("default", name));
            return false;
        } catch (KubeApiException e) {
            return e.isNotFound();
        }
    }

    @Test
    void aFileOfMoreThanTenMebibytesIsRefused() throws IOException {
        NodeHarness harness = start();
        Files.writeString(directory().resolve("web.yaml"),
                NodeHarness.manifest("web", "nginx:1") + "#".repeat((10 << 20) + 1));
        read();

        assertThat(Objects.requireNonNull(node).podsOf("file")).isEmpty();
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
                .endsWith("; the pod keeps running unchanged");
        assertThat(harness.refusals()).as("the metric").containsExactly("file");
        harness.pass(Duration.ofMinutes(31));
        assertThat(harness.events).as("it is said again while it holds, as Events are forgotten").hasSize(2);
        assertThat(harness.refusals()).hasSize(1);

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
            Files.writeString(directory().resolve(name), NodeHarness.manifest("web", "nginx:1"));
            read();
            read();

            assertThat(Objects.requireNonNull(node).podsOf("file")).isEmpty();
            if (!name.startsWith(".")) {
                assertThat(log.lines()).singleElement().asString().startsWith("INFO").contains(name)
                        .contains("is skipped: its name is that of a backup or temporary file");
            }
        }
    }
}
