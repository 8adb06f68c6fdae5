package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.google.protobuf.MessageLite;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerMetadata;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatusResponse;
import dev.wheelhouse.node.cri.proto.Cri.ListContainersResponse;
import dev.wheelhouse.node.cri.proto.Cri.ListPodSandboxResponse;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/** Facts that a runtime says later than the end of a container, by a runtime that answers what the test says. */
@Timeout(30)
class PodObserverTest {
    private final ManualClock clock = new ManualClock();
    private final Set<String> stopped = new HashSet<>();
    private final Deque<MessageLite> answers = new ArrayDeque<>();
    private ScriptedGrpc runtime;
    private CriClient client;
    private PodObserver observer;

    @BeforeEach
    void start() throws IOException {
        runtime = new ScriptedGrpc(request -> answers.remove(), 0);
        client = new CriClient(runtime.address());
        observer = startAgain();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        runtime.close();
    }

    /** The observer of an agent that has just started. */
    private PodObserver startAgain() {
        return new PodObserver(new CriService(client), Map.of(), "x://", ended -> "last words", stopped::contains,
                clock);
    }

    private ContainerStatus ended(int code, String reason) {
        return ContainerStatus.newBuilder().setId("1").setMetadata(ContainerMetadata.newBuilder().setName("c"))
                .setState(ContainerState.CONTAINER_EXITED).setExitCode(code).setReason(reason)
                .setFinishedAt(clock.now().getEpochSecond() * 1_000_000_000).build();
    }

    /** @param status the answer to the question for the container's status, if that is to be asked */
    private String observe(ContainerStatus... status) {
        answers.add(ListPodSandboxResponse.getDefaultInstance());
        answers.add(ListContainersResponse.newBuilder()
                .addContainers(Container.newBuilder().setId("1").setState(ContainerState.CONTAINER_EXITED)).build());
        Arrays.stream(status).forEach(
                each -> answers.add(ContainerStatusResponse.newBuilder().setStatus(each).build()));
        Run run = observer.observe().last("c");
        assertThat(answers).as("questions that were not asked").isEmpty();
        return run.isRunning()
                ? "running"
                : run.terminated().getTerminated().getReason() + " " + run.message();
    }

    @Test
    void aRunThatWasKilledCountsAsRunningUntilTheRuntimeSaysWhy() {
        ContainerStatus first = ended(137, "Error");
        assertThat(observe(first)).isEqualTo("running");
        assertThat(observer.awaitsReason()).isTrue();
        clock.advance(Duration.ofMillis(200));
        assertThat(observe(first.toBuilder().setReason("OOMKilled").build())).isEqualTo("OOMKilled last words");
        assertThat(observer.awaitsReason()).isFalse();
        assertThat(observe()).isEqualTo("OOMKilled last words");
    }

    @Test
    void aRunThatWasKilledByAnotherProgramIsOverAfterASecond() {
        ContainerStatus status = ended(137, "");
        clock.advance(Duration.ofMillis(999));
        assertThat(observe(status)).isEqualTo("running");
        clock.advance(Duration.ofMillis(1));
        assertThat(observe(status)).isEqualTo("Error last words");
        assertThat(observe()).isEqualTo("Error last words");
    }

    @Test
    void aStopOfTheAgentItselfHasNoOtherReason() {
        stopped.add("1");
        assertThat(observe(ended(137, "Error"))).isEqualTo("Error last words");
    }

    @Test
    void anAgentThatStartsAgainWaitsForTheReasonTooButNotForThatOfAnOldEnd() {
        ContainerStatus status = ended(137, "Error");
        assertThat(observe(status)).isEqualTo("running");
        observer = startAgain();
        assertThat(observe(status)).isEqualTo("running");
        clock.advance(Duration.ofSeconds(5));
        observer = startAgain();
        assertThat(observe(status)).isEqualTo("Error last words");
    }

    @ParameterizedTest(name = "code {0}, reason {1}, after {2} ms: {3}")
    @CsvSource({"137, Error, 0, true", "137, '', 999, true", "137, Error, 1000, false", "137, OOMKilled, 0, false",
            "137, ContainerCannotRun, 0, false", "1, Error, 0, false", "0, Completed, 0, false", "143, Error, 0, false",
            // The wall clock was set back.
            "137, Error, -5000, false"})
    void onlyAKillThatHasJustHappenedMayGetAnotherReason(int code, String reason, long millis, boolean expected) {
        Run run = new Run("", ended(code, reason), "x://", "");
        assertThat(run.awaitsReason(clock.now().plusMillis(millis))).isEqualTo(expected);
        ContainerStatus timeless = run.status().toBuilder().clearFinishedAt().build();
        assertThat(new Run("", timeless, "x://", "").awaitsReason(clock.now().plusMillis(millis)))
                .as("a runtime that does not say when").isFalse();
        ContainerStatus runs = run.status().toBuilder().setState(ContainerState.CONTAINER_RUNNING).build();
        assertThat(new Run("", runs, "x://", "").awaitsReason(clock.now())).isFalse();
    }
}
