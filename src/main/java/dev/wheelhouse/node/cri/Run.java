package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateRunning;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;

import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStatus;
import dev.wheelhouse.runtime.Durations;

/**
 * One run of a container: a container of the runtime.
 *
 * @param sandbox the sandbox in which it runs
 * @param idPrefix the scheme of IDs in the API, such as {@code containerd://}
 * @param message why it ended; empty if nothing said so
 */
record Run(String sandbox, ContainerStatus status, String idPrefix, String message) {
    /** The time after its end in which the runtime may still learn that the kernel killed a container. */
    private static final Duration UNTIL_REASON = Duration.ofSeconds(1);
    private static final int KILLED = 137;

    String id() {
        return status.getId();
    }

    int attempt() {
        return status.getMetadata().getAttempt();
    }

    boolean isRunning() {
        return status.getState() == ContainerState.CONTAINER_RUNNING;
    }

    boolean hasEnded() {
        return status.getState() == ContainerState.CONTAINER_EXITED;
    }

    /** Whether its processes have ended. A run counts as running until its reason is known, too. */
    boolean isOver() {
        return status.getFinishedAt() > 0;
    }

    /** Whether the end may yet get the reason {@code OOMKilled}, of which a runtime hears on a way of its own. */
    boolean awaitsReason(Instant now) {
        Duration age = Duration.between(finishedAt(), now);
        return hasEnded() && status.getExitCode() == KILLED && List.of("", "Error").contains(status.getReason())
                && !age.isNegative() && age.compareTo(UNTIL_REASON) < 0;
    }

    boolean succeeded() {
        return hasEnded() && status.getExitCode() == 0;
    }

    Instant startedAt() {
        return Instant.ofEpochSecond(0, status.getStartedAt());
    }

    Instant finishedAt() {
        return Instant.ofEpochSecond(0, status.getFinishedAt());
    }

    V1ContainerState running() {
        return new V1ContainerState()
                .running(new V1ContainerStateRunning().startedAt(Durations.wholeSeconds(startedAt())));
    }

    V1ContainerState terminated() {
        String reason = status.getReason();
        return new V1ContainerState().terminated(new V1ContainerStateTerminated().exitCode(status.getExitCode())
                .reason(!reason.isEmpty() ? reason : status.getExitCode() == 0 ? "Completed" : "Error")
                .message(message.isEmpty() ? null : message).startedAt(Durations.wholeSeconds(startedAt()))
                .finishedAt(Durations.wholeSeconds(finishedAt())).containerID(idPrefix + id()));
    }
}
