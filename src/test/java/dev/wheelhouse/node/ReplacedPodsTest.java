package dev.wheelhouse.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;

import static org.assertj.core.api.Assertions.assertThat;

/** A pod that another one of its name replaces: its status is written to no other pod, and nothing is logged. */
@Isolated
class ReplacedPodsTest {
    private static final Duration A_WHILE = Duration.ofSeconds(25);

    private static List<String> warnings(Logged log) {
        return log.lines().stream().filter(line -> !line.startsWith("INFO")).toList();
    }

    @Test
    void eachEditOfAManifestIsQuiet(@TempDir Path manifests) throws IOException {
        Path file = manifests.resolve("web.yaml");
        Files.writeString(file, NodeHarness.manifest("web", "nginx:0"));
        NodeHarness node = new NodeHarness(
                NodeAgentOptions.hollow("node-1", 0).withManifests(manifests, Duration.ofSeconds(20)));
        node.pass(A_WHILE);
        try (Logged log = Logged.by("dev.wheelhouse.node.StatusManager");
                Logged mirrors = Logged.by("dev.wheelhouse.node.MirrorPods")) {
            for (int edit = 1; edit <= 3; edit++) {
                Files.writeString(file, NodeHarness.manifest("web", "nginx:" + edit));
                node.pass(A_WHILE);
                assertThat(node.status("web-node-1").getImage()).endsWith("nginx:" + edit);
                assertThat(node.phase("web-node-1")).isEqualTo("Running");
            }
            Files.move(file, manifests.resolve("other.yaml"));
            node.pass(A_WHILE);

            assertThat(warnings(log)).isEmpty();
            assertThat(warnings(mirrors)).isEmpty();
            assertThat(node.failedStatusWrites()).isZero();
        }
        node.agent.close();
    }

    @Test
    void aPodThatWasDeletedAndCreatedAgainBeforeTheNodeKnewIsNoReasonToWarn() throws InterruptedException {
        NodeHarness node = new NodeHarness();
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "run-for", "5s"),
                NodeHarness.container("web"));
        node.create(pod);
        node.pass(Duration.ofSeconds(4));
        try (Logged log = Logged.by("dev.wheelhouse.node.StatusManager")) {
            node.cluster.delete(ResourceType.PODS, NodeHarness.key("web"), new Deletion(0L, null, null, null));
            node.cluster.create(ResourceType.PODS, pod);
            node.clock.advance(Duration.ofSeconds(2));
            for (int i = 0; i < 10; i++) {
                for (String loop : List.of("sync", "pods", "status")) {
                    node.agent.loops().get(loop).step();
                }
            }

            assertThat(node.failedStatusWrites()).as("the status of the first pod").isEqualTo(1);
            node.pass(Duration.ofSeconds(4));
            assertThat(warnings(log)).isEmpty();
            assertThat(node.failedStatusWrites()).isEqualTo(1);
            assertThat(node.state("web")).isEqualTo("Running");
        }
    }
}
