package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Two nodes of one machine share its runtime, and run static pods there without an API server. */
@Timeout(300)
@Tag("processes")
@Tag("full")
class AloneOnRuntimeTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    private @Nullable LoopRunner runner;
    private NodeAgent agent;
    private NodeAgent other;

    private void start(Path socket) throws IOException {
        runner = new LoopRunner("test", Clock.system());
        agent = start("alone", socket);
        other = start("other", socket);
    }

    private NodeAgent start(String name, Path socket) throws IOException {
        CriNode machine = CriNode.at("unix://" + socket, home.resolve("lib"));
        NodeAgent made = NodeAgent.alone(
                NodeAgentOptions.hollow(name, 0).withRuntime(machine, "127.0.0.1", machine.resources())
                        .withManifests(Files.createDirectories(home.resolve(name)), Duration.ofMillis(200)),
                new HttpKubeClient(new ClientBuilder().setBasePath("http://127.0.0.1:1").build(), ContentType.JSON,
                        Clock.system()),
                EventRecorder.NONE, Meters.NONE, Clock.system());
        made.start(Objects.requireNonNull(runner));
        return made;
    }

    private void stop() {
        if (runner != null) {
            agent.close();
            other.close();
            assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
            runner = null;
        }
    }

    private Path manifest(String node, String name, String spec) throws IOException {
        return Files.writeString(home.resolve(node).resolve(name + ".yaml"), "apiVersion: v1\nkind: Pod\nmetadata: "
                + "{name: " + name + "}\nspec: {terminationGracePeriodSeconds: 1, " + spec + "}\n");
    }

    private static String phase(NodeAgent node, String pod) {
        return node.podConfig().storage().states().stream().flatMap(state -> state.pods().stream())
                .filter(each -> each.getMetadata().getName().startsWith(pod + "-"))
                .map(each -> node.status(Objects.requireNonNull(each.getMetadata().getUid())))
                .filter(Objects::nonNull).map(V1PodStatus::getPhase).findFirst().orElse("none");
    }

    private static void becomes(NodeAgent node, String pod, String phase) {
        Eventually.eventually(pod + " is " + phase, LONG, () -> phase(node, pod).equals(phase));
    }

    private static List<String> containers(CriService cri, String pod) {
        return cri.containers(Map.of("io.kubernetes.pod.name", pod)).stream().map(Container::getId).toList();
    }

    @Test
    void staticPodsOutliveTheProcessAndThoseThatHaveEndedDoNotRunAgain() throws Exception {
        try (PrivateContainerd containerd = PrivateContainerd.orSkip(home);
                CriClient client = new CriClient(containerd.socket())) {
            CriService cri = new CriService(client);
            start(containerd.socket());
            String image = "image: '" + PrivateContainerd.IMAGE + "'";
            Path web = manifest("alone", "web", "containers: [{name: c, " + image + "}]");
            manifest("other", "web", "containers: [{name: c, " + image + "}]");
            Path once = manifest("alone", "once", "restartPolicy: Never, containers: [{name: c, " + image
                    + ", command: [sh, -c, 'exit 3']}]");
            becomes(agent, "web", "Running");
            becomes(other, "web", "Running");
            becomes(agent, "once", "Failed");
            List<String> running = containers(cri, "web-alone");
            List<String> ended = containers(cri, "once-alone");
            List<String> others = containers(cri, "web-other");
            assertThat(List.of(running, ended, others)).allMatch(ids -> ids.size() == 1);

            stop();
            start(containerd.socket());
            becomes(agent, "web", "Running");
            becomes(agent, "once", "Failed");
            assertThat(containers(cri, "web-alone")).isEqualTo(running);
            assertThat(containers(cri, "once-alone")).isEqualTo(ended);

            Files.delete(web);
            Files.delete(once);
            Eventually.eventually("the pods are gone", LONG, () -> containers(cri, "web-alone").isEmpty()
                    && containers(cri, "once-alone").isEmpty());
            assertThat(containers(cri, "web-other")).isEqualTo(others);
        } finally {
            stop();
        }
    }
}
