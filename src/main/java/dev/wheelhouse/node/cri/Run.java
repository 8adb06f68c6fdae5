package dev.wheelhouse.node.cri;

import java.time.Instant;

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
