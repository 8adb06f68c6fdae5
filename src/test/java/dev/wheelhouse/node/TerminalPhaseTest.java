package dev.wheelhouse.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateRunning;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A pod is Failed or Succeeded only when none of its containers runs, whatever ends it, and it stays so: Jobs and
 * schedulers count on its resources then.
 */
class TerminalPhaseTest {
    private static final Duration STEP = Duration.ofMillis(100);

    private final NodeHarness node = new NodeHarness();

    private static V1Pod slow(String restartPolicy) {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "stop-delay", "10s"),
                NodeHarness.container("web"));
        pod.getSpec().restartPolicy(restartPolicy);
        return pod;
    }

    private static List<V1ContainerStatus> running(V1PodStatus status) {
        return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses()).filter(Objects::nonNull)
                .flatMap(List::stream).filter(s -> s.getState().getRunning() != null).toList();
    }

    /** Steps the node until the pod has ended, and looks at each state between. */
    private static V1PodStatus untilTerminal(NodeHarness node, String name, String phaseBefore) {
        for (int i = 0; i < 600; i++) {
            node.pass(STEP);
            V1PodStatus status = node.get(name).getStatus();
            if (PodPhases.isTerminal(status.getPhase())) {
                assertThat(running(status)).isEmpty();
                assertThat(node.condition(name, "Ready")).isNotEqualTo("True");
                return status;
            }
            assertThat(status.getPhase()).isIn("Pending", phaseBefore);
            assertThat(status.getReason()).isNull();
            assertThat(status.getMessage()).isNull();
        }
        throw new AssertionError("the pod did not end in a minute: " + node.get(name).getStatus());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Always", "OnFailure", "Never"})
    void aPodPastItsDeadlineFailsWhenItsContainersHaveStopped(String restartPolicy) {
        V1Pod pod = slow(restartPolicy);
        pod.getSpec().activeDeadlineSeconds(5L);
        node.create(pod);

        node.pass(Duration.ofSeconds(10));
        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.condition("web", "Ready")).as("the stop has begun").isEqualTo("False");
        V1PodStatus status = untilTerminal(node, "web", "Running");

        assertThat(status.getPhase()).isEqualTo("Failed");
        assertThat(status.getReason()).isEqualTo("DeadlineExceeded");
        assertThat(status.getMessage()).isEqualTo("Pod was active on the node longer than the specified deadline");
        assertThat(node.events).filteredOn(e -> e.contains("DeadlineExceeded")).isNotEmpty()
                .allMatch(e -> e.equals("Normal DeadlineExceeded: " + status.getMessage()));
    }

    @Test
    void aDeadlineDuringTheInitializationIsNoDifferent() {
        V1Pod pod = slow("Never");
        pod.getSpec().addInitContainersItem(NodeHarness.container("first")
                .command(List.of("sleep", "1h"))).activeDeadlineSeconds(5L);
        node.create(pod);

        assertThat(untilTerminal(node, "web", "Pending").getReason()).isEqualTo("DeadlineExceeded");
    }

    @Test
    void aFailedInitContainerFailsThePodWhenTheSidecarBeforeItHasStopped() {
        V1Pod pod = slow("Never");
        pod.getSpec().addInitContainersItem(NodeHarness.container("sidecar").restartPolicy("Always"))
                .addInitContainersItem(NodeHarness.container("first").command(List.of("sh", "-c", "sleep 2; exit 3")));
        node.create(pod);

        assertThat(untilTerminal(node, "web", "Pending").getPhase()).isEqualTo("Failed");
    }

    @Test
    void aPodOfCommandsThatEndsLeavesItsSidecarTheTimeToStop() {
        V1Pod pod = slow("Never");
        pod.getSpec().getContainers().getFirst().command(List.of("sleep", "3"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("sidecar").restartPolicy("Always"));
        node.create(pod);

        assertThat(untilTerminal(node, "web", "Running").getPhase()).isEqualTo("Succeeded");
    }

    @Test
    void aDeletedPodFailsWhenItsContainersHaveStopped() {
        V1Pod pod = slow("Always");
        pod.getMetadata().addFinalizersItem("example.com/kept");
        node.create(pod);
        node.pass(Duration.ofSeconds(1));
        node.delete("web", 30L);

        assertThat(untilTerminal(node, "web", "Running").getPhase()).isEqualTo("Succeeded");
    }

    @Test
    void aRejectedPodFailsAtOnce() {
        V1Pod pod = slow("Always");
        pod.getSpec().nodeSelector(Map.of("disk", "none"));
        node.create(pod);

        assertThat(untilTerminal(node, "web", "Pending").getReason()).isEqualTo("NodeAffinity");
    }

    @Test
    void aPhaseThatSomebodyElseEndedStays() {
        node.create(slow("Always"));
        node.pass(Duration.ofSeconds(1));
        V1Pod failed = node.get("web");
        failed.getStatus().phase("Failed").reason("Lost").message("by its owner");
        node.cluster.user().resource(ResourceType.PODS, V1Pod.class).updateStatus(failed);

        for (int i = 0; i < 200; i++) {
            node.pass(STEP);
            assertThat(node.phase("web")).isEqualTo("Failed");
            assertThat(node.get("web").getStatus().getReason()).isEqualTo("Lost");
        }
        assertThat(running(node.get("web").getStatus())).isEmpty();
    }

    @Test
    void theServersTerminalPhaseWinsOverAStatusThatWasComputedBeforeIt() {
        V1PodStatus there = new V1PodStatus().phase("Failed").reason("Lost");
        V1PodStatus late = new V1PodStatus().phase("Running").podIP("10.0.0.1");

        V1PodStatus shown = PodStatuses.shown(late, there, false);

        assertThat(shown.getPhase()).isEqualTo("Failed");
        assertThat(shown.getReason()).isEqualTo("Lost");
        assertThat(shown.getPodIP()).isEqualTo("10.0.0.1");
        assertThat(late.getPhase()).as("the argument is not changed").isEqualTo("Running");
        assertThat(PodStatuses.shown(new V1PodStatus().phase("Succeeded"), there, true).getPhase())
                .isEqualTo("Failed");
    }

    @Test
    void theMirrorOfAStaticPodPastItsDeadlineFailsWhenItsContainersHaveStopped(@TempDir Path manifests)
            throws IOException {
        NodeHarness withFiles = new NodeHarness(
                NodeAgentOptions.hollow("node-1", 0).withManifests(manifests, Duration.ofSeconds(20)));
        Files.writeString(manifests.resolve("web.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, annotations: {hollow.wheelhouse.dev/stop-delay: 10s}}
                spec: {activeDeadlineSeconds: 40, containers: [{name: web, image: nginx}]}
                """);
        withFiles.pass(Duration.ofSeconds(25));
        assertThat(withFiles.phase("web-node-1")).isEqualTo("Running");

        assertThat(untilTerminal(withFiles, "web-node-1", "Running").getReason()).isEqualTo("DeadlineExceeded");
        withFiles.agent.close();
    }

    /**
     * W waits, L waits after it succeeded, R runs, T0 has succeeded, T1 has failed, and U is the state that stands for
     * an unknown end.
     */
    @ParameterizedTest(name = "{0} / {1}: {2} / {3}")
    @CsvSource({"W,W,U,W", "W W,W,U W,W", "W W T1 W,W,U U T1 W,W", "W W T1,W,U U T1,W", "W W T0,W,U U T0,U",
            "W W L,W,U U U,U", "W,R,U,U", "W,T1,U,T1", "R,W,U,W", "'',W,'',U"})
    void aContainerWhoseEndIsUnknownHasFailedIfItsTurnHadCome(String inits, String mains, String initsAfter,
            String mainsAfter) {
        PodRuntimeStatus known = new PodRuntimeStatus(false, "", states("init", inits), states("main", mains),
                List.of());
        V1Pod pod = NodeHarness.pod("web", Map.of(),
                known.containers().stream().map(s -> NodeHarness.container(s.getName())).toArray(V1Container[]::new));
        pod.getSpec().restartPolicy("Never").initContainers(
                known.initContainers().stream().map(s -> NodeHarness.container(s.getName())).toList());

        V1PodStatus ended = PodStatuses.ended(pod, known, null, "10.0.0.1", Moment.of(node.clock));

        assertThat(letters(ended.getInitContainerStatuses())).isEqualTo(initsAfter);
        assertThat(letters(ended.getContainerStatuses())).isEqualTo(mainsAfter);
        assertThat(ended.getPhase()).isEqualTo("Failed");
    }

    private static List<V1ContainerStatus> states(String name, String letters) {
        List<V1ContainerStatus> statuses = new ArrayList<>();
        for (String letter : letters.isEmpty() ? List.<String>of() : List.of(letters.split(" "))) {
            V1ContainerState waiting = new V1ContainerState().waiting(new V1ContainerStateWaiting().reason("None"));
            V1ContainerStatus status = new V1ContainerStatus().name(name + "-" + statuses.size());
            statuses.add(switch (letter) {
                case "R" -> status.state(new V1ContainerState().running(new V1ContainerStateRunning()));
                case "L" -> status.state(waiting).lastState(terminated(0));
                case "W" -> status.state(waiting);
                default -> status.state(terminated(letter.charAt(1) - '0'));
            });
        }
        return statuses;
    }

    private static V1ContainerState terminated(int code) {
        return new V1ContainerState().terminated(new V1ContainerStateTerminated().exitCode(code).reason("Test"));
    }

    private static String letters(@Nullable List<V1ContainerStatus> statuses) {
        return statuses == null
                ? ""
                : statuses.stream().map(NodeHarness::state).map(state -> state.startsWith("Waiting")
                        ? "W"
                        : state.equals("Terminated ContainerStatusUnknown 137")
                                ? "U"
                                : state.replaceFirst("Terminated Test ", "T"))
                        .collect(Collectors.joining(" "));
    }

    @Test
    void aPodThatIsDeletedBeforeItsFirstInitContainerRanHasFailedThere() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "start-delay.i1", "60s"),
                NodeHarness.container("web"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("i1"))
                .addInitContainersItem(NodeHarness.container("i2"));
        pod.getMetadata().addFinalizersItem("example.com/kept");
        node.create(pod);
        node.pass(Duration.ofSeconds(2));
        node.delete("web", 5L);

        V1PodStatus status = untilTerminal(node, "web", "Pending");

        assertThat(letters(status.getInitContainerStatuses())).isEqualTo("U W");
        assertThat(letters(status.getContainerStatuses())).isEqualTo("W");
    }

    @Test
    void aPodThatEndsByItselfIsReportedByOneWrite() {
        V1Pod pod = slow("Never");
        pod.getSpec().getContainers().getFirst().command(List.of("sleep", "3"));
        node.create(pod);
        node.pass(Duration.ofSeconds(2));
        long before = node.writes("patch pods/status");

        node.pass(Duration.ofSeconds(2));

        assertThat(node.phase("web")).isEqualTo("Succeeded");
        assertThat(node.writes("patch pods/status") - before).isEqualTo(1);
    }
}
