package dev.wheelhouse.node;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The fields of a pod's status and their causes, as in kubelet. */
class HollowStatusTest {
    private NodeHarness node = new NodeHarness();

    private V1Pod create(String restartPolicy, V1Container container, String... annotations) {
        Map<String, String> map = new TreeMap<>();
        for (int i = 0; i < annotations.length; i += 2) {
            map.put(HollowProfile.PREFIX + annotations[i], annotations[i + 1]);
        }
        V1Pod pod = NodeHarness.pod("web", map, container);
        pod.getSpec().restartPolicy(restartPolicy);
        return node.create(pod);
    }

    private V1Pod create(String restartPolicy, String... annotations) {
        return create(restartPolicy, NodeHarness.container("web"), annotations);
    }

    /** A condition as text, such as {@code False ContainersNotReady: containers with unready status: [web]}. */
    private String condition(String type) {
        V1PodCondition condition = Objects
                .requireNonNull(PodConditions.find(node.get("web").getStatus(), type), type);
        return condition.getStatus() + (condition.getReason() == null ? "" : " " + condition.getReason())
                + (condition.getMessage() == null ? "" : ": " + condition.getMessage());
    }

    private static V1ContainerStateTerminated last(V1ContainerStatus status) {
        return Objects.requireNonNull(Objects.requireNonNull(status.getLastState()).getTerminated());
    }

    @Test
    void aContainerThatHasNotStartedWaits() {
        create("Always", "start-delay", "1h");

        V1ContainerStatus web = node.status("web");
        assertThat(NodeHarness.state(web)).isEqualTo("Waiting ContainerCreating");
        assertThat(List.of(web.getReady(), web.getStarted(), web.getRestartCount()))
                .isEqualTo(List.of(false, false, 0));
        assertThat(web.getImage()).isEqualTo("nginx:1.27");
        assertThat(web.getImageID()).isEmpty();
        assertThat(web.getContainerID()).isNull();
        assertThat(web.getLastState()).isEqualTo(new V1ContainerState());
        assertThat(node.phase("web")).isEqualTo("Pending");
        assertThat(condition("PodReadyToStartContainers")).isEqualTo("True");
        assertThat(condition("Initialized")).isEqualTo("True");
        for (String type : List.of("Ready", "ContainersReady")) {
            assertThat(condition(type))
                    .isEqualTo("False ContainersNotReady: containers with unready status: [web]");
        }
    }

    @Test
    void aContainerThatCrashesShowsHowItEndedAsItsLastState() {
        create("Always", "run-for", "3s", "exit-code", "7");
        String first = node.status("web").getContainerID();
        node.pass(Duration.ofMillis(3200));
        assertThat(node.state("web")).as("until its exit is dealt with").isEqualTo("Terminated Error 7");
        assertThat(node.status("web").getRestartCount()).isZero();

        node.pass(Duration.ofSeconds(2));
        V1ContainerStatus again = node.status("web");
        assertThat(NodeHarness.state(again)).isEqualTo("Running");
        assertThat(again.getRestartCount()).isEqualTo(1);
        assertThat(again.getContainerID()).isNotEqualTo(first);
        assertThat(last(again).getContainerID()).isEqualTo(first);
        assertThat(last(again).getReason()).isEqualTo("Error");
        assertThat(last(again).getFinishedAt()).isAfter(last(again).getStartedAt());

        node.pass(Duration.ofSeconds(4));
        V1ContainerStatus waiting = node.status("web");
        assertThat(NodeHarness.state(waiting)).isEqualTo("Waiting CrashLoopBackOff");
        assertThat(waiting.getState().getWaiting().getMessage())
                .startsWith("back-off 10s restarting failed container=web pod=");
        assertThat(List.of(waiting.getReady(), waiting.getStarted(), waiting.getRestartCount()))
                .isEqualTo(List.of(false, false, 1));
        assertThat(last(waiting).getExitCode()).isEqualTo(7);
        assertThat(node.phase("web")).isEqualTo("Running");
    }

    @ParameterizedTest(name = "exit code {0}: {1}, conditions {2}")
    @CsvSource({"0,Succeeded,PodCompleted,True PodCompleted", "1,Failed,PodFailed,True"})
    void aPodThatHasRunToItsEndSaysSoInItsConditions(String code, String phase, String reason, String initialized) {
        create("Never", "run-for", "2s", "exit-code", code);
        node.pass(Duration.ofSeconds(5));

        assertThat(node.phase("web")).isEqualTo(phase);
        assertThat(condition("Ready")).isEqualTo("False " + reason);
        assertThat(condition("ContainersReady")).isEqualTo("False " + reason);
        assertThat(condition("Initialized")).isEqualTo(initialized);
        assertThat(condition("PodReadyToStartContainers")).isEqualTo("False");
        assertThat(condition("PodScheduled")).isEqualTo("True");
        V1ContainerStatus web = node.status("web");
        assertThat(List.of(web.getReady(), web.getStarted(), web.getRestartCount()))
                .isEqualTo(List.of(false, false, 0));
    }

    @Test
    void aContainerCanBeKilledForItsMemory() {
        create("Always", "run-for", "2s", "exit-reason", "OOMKilled");
        node.pass(Duration.ofMillis(2300));
        assertThat(node.state("web")).isEqualTo("Terminated OOMKilled 137");

        node.pass(Duration.ofSeconds(1));
        assertThat(node.state("web")).isEqualTo("Running");
        assertThat(last(node.status("web")).getReason()).isEqualTo("OOMKilled");
    }

    @Test
    void anInitContainerThatHasSucceededIsReadyAndNeverStarted() {
        V1Pod pod = NodeHarness.pod("web", Map.of(), NodeHarness.container("web"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("setup"));
        node.create(pod);

        V1ContainerStatus setup = Objects.requireNonNull(node.get("web").getStatus().getInitContainerStatuses()).get(0);
        assertThat(NodeHarness.state(setup)).isEqualTo("Terminated Completed 0");
        assertThat(List.of(setup.getReady(), setup.getStarted(), setup.getRestartCount()))
                .isEqualTo(List.of(true, false, 0));
    }

    @Test
    void whileInitContainersRunTheOthersArePodInitializing() {
        V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "run-for.setup", "1h"),
                NodeHarness.container("web"));
        pod.getSpec().addInitContainersItem(NodeHarness.container("setup"));
        node.create(pod);

        assertThat(node.state("web")).isEqualTo("Waiting PodInitializing");
        assertThat(condition("Initialized"))
                .isEqualTo("False ContainersNotInitialized: containers with incomplete status: [setup]");
        assertThat(node.phase("web")).isEqualTo("Pending");
    }

    @Test
    void aContainerThatIsStoppedEndsWellOrIsKilledWhenItsGracePeriodEnds() {
        ManualClock clock = new ManualClock();
        for (String delay : List.of("2s", "10m")) {
            HollowRuntime runtime = new HollowRuntime("10.0.0.0/24", "none", PodEventRecorder.NONE, clock);
            V1Pod pod = NodeHarness.pod("web", Map.of(HollowProfile.PREFIX + "stop-delay", delay),
                    NodeHarness.container("web"));
            pod.getMetadata().uid("u");
            runtime.sync(pod);
            runtime.kill(pod, Duration.ofSeconds(5));
            clock.advance(Duration.ofSeconds(5));
            runtime.pollEvent();

            PodRuntimeStatus status = Objects.requireNonNull(runtime.status("u"));
            assertThat(NodeHarness.state(status.containers().get(0)))
                    .isEqualTo(delay.equals("2s") ? "Terminated Completed 0" : "Terminated Error 137");
        }
    }

    @Test
    void aProfileByNameStandsForSeveralValuesAndAPodsOwnWin() {
        create("Always", "profile", "slow", "ready-delay", "1s");
        assertThat(node.state("web")).isEqualTo("Waiting ContainerCreating");
        node.pass(Duration.ofMillis(5200));
        assertThat(node.state("web")).isEqualTo("Running");
        assertThat(condition("Ready")).startsWith("False");
        node.pass(Duration.ofSeconds(1));
        assertThat(condition("Ready")).isEqualTo("True");
    }

    @ParameterizedTest(name = "{0}: after a minute {1}")
    @CsvSource({"none,Running", "slow,Running", "stuck,Running", "crashing,Waiting CrashLoopBackOff",
            "flaky,Running", "unpullable,Waiting ImagePullBackOff"})
    void everyPodOfANodeBehavesAsItsProfileSaysUnlessItSaysOtherwise(String profile, String state) {
        node = new NodeHarness(NodeAgentOptions.hollow("node-1", 0).withProfile(profile));
        create("Always");
        V1Pod own = NodeHarness.pod("own", Map.of(HollowProfile.PREFIX + "profile", "none"),
                NodeHarness.container("web"));
        own.getSpec().addInitContainersItem(NodeHarness.container("setup"));
        node.create(own);
        node.pass(Duration.ofSeconds(60));

        assertThat(node.state("web")).isEqualTo(state);
        assertThat(condition("Ready")).startsWith(profile.equals("none") || profile.equals("slow")
                || profile.equals("flaky") ? "True" : "False");
        assertThat(node.status("web").getRestartCount() > 0).isEqualTo(profile.equals("flaky")
                || profile.equals("crashing"));
        assertThat(node.condition("own", "Ready")).isEqualTo("True");
    }

    @Test
    void aProfileThatThereIsNotIsRefusedOrReported() {
        assertThatThrownBy(() -> NodeAgentOptions.hollow("node-1", 0).withProfile("lazy"))
                .hasMessage(
                        "node node-1: there is no profile \"lazy\": write one of crashing, flaky, none, slow, stuck,"
                                + " unpullable");
        create("Always", "profile", "lazy", "exit-reason", "two words");

        assertThat(node.phase("web")).isEqualTo("Running");
        assertThat(node.events).filteredOn(e -> e.startsWith("Warning InvalidHollowProfile")).hasSize(2)
                .anyMatch(e -> e.contains("lazy") && e.contains("crashing"))
                .anyMatch(e -> e.contains("two words") && e.contains("OOMKilled"));
    }
}
