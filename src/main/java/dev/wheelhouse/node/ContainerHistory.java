package dev.wheelhouse.node;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateRunning;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;

import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.runtime.Hashes;

/**
 * The runs of one container: the current or last run, the exit of the run before, and the number of runs. Not thread
 * safe.
 */
final class ContainerHistory {
    private final String podUid;
    private final String name;
    private String containerId = "";
    private @Nullable OffsetDateTime startedAt;
    private long startedNanos;
    private @Nullable V1ContainerStateTerminated exit;
    private @Nullable V1ContainerStateTerminated lastExit;
    private int starts;
    private int restarts;

    ContainerHistory(String podUid, String name) {
        this.podUid = podUid;
        this.name = name;
    }

    /** Whether the container has ever run. */
    boolean hasBegun() {
        return !containerId.isEmpty();
    }

    /** The start of the current or last run, in monotonic nanoseconds. */
    long startedNanos() {
        return startedNanos;
    }

    /** The exit code of the last run; null while a run lasts, and before the first one. */
    @Nullable
    Integer exitCode() {
        return exit == null ? null : exit.getExitCode();
    }

    int restarts() {
        return restarts;
    }

    void started(Moment now) {
        if (exit != null) {
            lastExit = exit;
            exit = null;
            restarts++;
        }
        starts++;
        containerId = "hollow://"
                + Hashes.sha256(podUid + "/" + name + "/" + restarts + "/" + starts + "/" + now.wall());
        startedAt = now.stamp();
        startedNanos = now.nanos();
    }

    void ended(Moment now, int code, String reason) {
        exit = end(now, code, reason);
    }

    private V1ContainerStateTerminated end(Moment now, int code, String reason) {
        return new V1ContainerStateTerminated().exitCode(code).reason(reason).startedAt(startedAt)
                .finishedAt(now.stamp()).containerID(containerId);
    }

    /** Records that the container was removed because all containers of its pod are restarted. */
    void removed(Moment now) {
        exit = end(now, 137, RestartPolicies.RESTARTING_ALL)
                .message("The container is removed because RestartAllContainers in place");
    }

    /** Continues from the status that was reported before this process started. */
    void resume(Moment now, V1ContainerStatus reported, V1ContainerState state) {
        restarts = reported.getRestartCount() == null ? 0 : reported.getRestartCount();
        starts = restarts + 1;
        containerId = reported.getContainerID() == null ? "" : reported.getContainerID();
        lastExit = reported.getLastState() == null ? null : reported.getLastState().getTerminated();
        if (state.getRunning() != null) {
            startedAt = state.getRunning().getStartedAt();
            Instant since = startedAt == null ? now.wall() : startedAt.toInstant();
            startedNanos = now.nanos() - Math.clamp(Durations.saturatedNanos(Duration.between(since, now.wall())), 0,
                    Long.MAX_VALUE / 2);
        } else if (state.getTerminated() != null) {
            exit = state.getTerminated();
        } else if (lastExit != null) {
            exit = lastExit;
        } else {
            starts = 0;
        }
    }

    V1ContainerState running() {
        return new V1ContainerState().running(new V1ContainerStateRunning().startedAt(startedAt));
    }

    V1ContainerState terminated() {
        return new V1ContainerState().terminated(exit);
    }

    /**
     * Writes the restart count, the last state and the image into a status.
     *
     * @param waiting whether the container waits for a restart; the last run is then the last state
     */
    void describe(V1ContainerStatus status, String image, boolean waiting) {
        V1ContainerStateTerminated last = waiting && exit != null ? exit : lastExit;
        status.restartCount(restarts)
                .lastState(last == null ? new V1ContainerState() : new V1ContainerState().terminated(last));
        if (hasBegun()) {
            status.image(HollowImages.qualified(image)).imageID(HollowImages.id(image)).containerID(containerId);
        }
    }
}
