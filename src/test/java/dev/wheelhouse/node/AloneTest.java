package dev.wheelhouse.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.podconfig.SourceReport;

import static org.assertj.core.api.Assertions.assertThat;

/** A node without an API server runs the pods of its manifests, and sends no request. */
class AloneTest {
    private static final Duration A_WHILE = Duration.ofSeconds(25);

    @TempDir
    Path directory;

    private final NodeHarness node = new NodeHarness();
    private final List<String> requests = new ArrayList<>();

    @BeforeEach
    void start() {
        node.agent.close();
        node.cluster.requests.fault((verb, type, key) -> {
            requests.add(verb + " " + type.plural());
            return NodeHarness.unreachable();
        });
        node.agent = NodeAgent.alone(
                NodeAgentOptions.hollow("node-1", 0).withManifests(directory, Duration.ofSeconds(20)),
                node.cluster.client(), (type, regarding, field, kind, reason, message) -> node.events
                        .add(regarding.getMetadata().getName() + " " + reason),
                Meters.NONE, node.clock);
    }

    @AfterEach
    void stop() {
        node.agent.close();
    }

    private void write(String annotations, String spec) throws IOException {
        Files.writeString(directory.resolve("web.yaml"),
                "apiVersion: v1\nkind: Pod\nmetadata: {name: web, annotations: {"
                        + annotations + "}}\nspec: {" + spec + "containers: [{name: c, image: nginx}]}\n");
        node.pass(A_WHILE);
    }

    private @Nullable V1PodStatus status() {
        return node.agent.podConfig().storage().states().stream().flatMap(state -> state.pods().stream()).findFirst()
                .map(pod -> node.agent.status(Objects.requireNonNull(pod.getMetadata().getUid()))).orElse(null);
    }

    @Test
    void aPodRunsUntilItsManifestIsRemovedAndNoRequestIsSent() throws IOException {
        write("", "");

        assertThat(Objects.requireNonNull(status()).getPhase()).isEqualTo("Running");
        assertThat(node.agent.isReady()).isTrue();
        assertThat(node.agent.sources()).extracting(SourceReport::source).containsExactly("file");
        assertThat(node.events).contains("web-node-1 Started");

        Files.delete(directory.resolve("web.yaml"));
        node.pass(A_WHILE);
        assertThat(node.agent.knownPods()).isEmpty();
        assertThat(requests).isEmpty();
    }

    /** The runtime is the only memory of the end of a pod, which must not run again with the next process. */
    @Test
    void aPodThatHasEndedStaysInTheRuntimeUntilItsManifestIsRemoved() throws IOException {
        write("hollow.wheelhouse.dev/run-for: 1s", "restartPolicy: Never, ");

        assertThat(Objects.requireNonNull(status()).getPhase()).isEqualTo("Succeeded");
        assertThat(node.agent.knownPods()).hasSize(1);
        assertThat(node.events).filteredOn("web-node-1 Started"::equals).isEqualTo(List.of("web-node-1 Started"));

        Files.delete(directory.resolve("web.yaml"));
        node.pass(A_WHILE);
        assertThat(node.agent.knownPods()).isEmpty();
    }

    @Test
    void aPodThatDoesNotFitFails() throws IOException {
        write("", "nodeSelector: {disk: ssd}, ");

        assertThat(Objects.requireNonNull(status())).extracting(V1PodStatus::getPhase, V1PodStatus::getReason)
                .containsExactly("Failed", "NodeAffinity");
    }
}
