package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1EphemeralContainer;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1VolumeMountStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.RestartBackoff;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orNull;

/**
 * The agent's memory of one container, beyond what the runtime knows: why it waits, how often its restarts and
 * pulls failed, and its probes. Only the pod's loop changes it; any thread may read it.
 */
final class CriContainer {
    enum Kind {
        INIT, SIDECAR, MAIN, EPHEMERAL
    }

    /** The time after which a restart counts as the first one again; twice the longest backoff, as in kubelet. */
    private static final long FORGET_NANOS = Duration.ofMinutes(10).toNanos();

    final Kind kind;
    /** The container whose processes an ephemeral one sees; null if it sees only its own. */
    final @Nullable String target;
    volatile V1Container spec;
    volatile String waitingReason = "";
    volatile String waitingMessage = "";
    volatile @Nullable Probes probes;
    /** The time of the next attempt, in monotonic nanoseconds, after one that failed. */
    long nextAttempt = Long.MIN_VALUE;
    int pullFailures;
    private int restarts;
    private long lastRestart;
    private String toldBackoffOf = "";

    CriContainer(Kind kind, V1Container spec) {
        this(kind, spec, null);
    }

    private CriContainer(Kind kind, V1Container spec, @Nullable String target) {
        this.kind = kind;
        this.spec = spec;
        this.target = target;
    }

    static CriContainer of(V1EphemeralContainer spec) {
        return new CriContainer(Kind.EPHEMERAL, ModelJson.read(ModelJson.tree(spec), V1Container.class),
                spec.getTargetContainerName());
    }

    String name() {
        return spec.getName();
    }

    /** The container's place in the pod, such as {@code spec.containers{web}}. */
    String fieldPath() {
        return switch (kind) {
            case MAIN -> "spec.containers{";
            case EPHEMERAL -> "spec.ephemeralContainers{";
            case INIT, SIDECAR -> "spec.initContainers{";
        } + name() + "}";
    }

    void waits(String reason, String message) {
        waitingReason = reason;
        waitingMessage = message;
    }

    /** @param again the time of the next attempt */
    void fails(String reason, String message, long again) {
        waits(reason, message);
        nextAttempt = again;
    }

    /** Whether the containers after this init container may start. */
    boolean isInitialized(Observed seen) {
        Run run = seen.last(name());
        Probes probing = probes;
        return run != null && (kind == Kind.INIT
                ? run.succeeded() && seen.isCurrent(run)
                : run.isRunning() && probing != null && probing.isStarted());
    }

    void waitsNoMore() {
        waits("", "");
        nextAttempt = Long.MIN_VALUE;
    }

    /** The time that a container has to wait before its restart; zero for the first one (upstream: doBackOff). */
    Duration backoff() {
        return restarts == 0 ? Duration.ZERO : RestartBackoff.after(restarts);
    }

    void restarted(long now) {
        restarts = restarts > 0 && now - lastRestart > FORGET_NANOS ? 1 : restarts + 1;
        lastRestart = now;
    }

    /** Whether nobody has been told yet that the restart after this run waits. */
    boolean isNews(Run run) {
        boolean news = !toldBackoffOf.equals(run.id());
        toldBackoffOf = run.id();
        return news;
    }

    private List<V1VolumeMountStatus> mounts() {
        return orEmpty(spec.getVolumeMounts()).stream()
                .map(each -> new V1VolumeMountStatus().name(each.getName()).mountPath(each.getMountPath())
                        .readOnly(each.getReadOnly())
                        .recursiveReadOnly(Boolean.TRUE.equals(each.getReadOnly()) ? "Disabled" : null))
                .toList();
    }

    /**
     * The status for the API.
     * @param podInitializing whether init containers have to end before this container may start
     */
    V1ContainerStatus status(Observed seen, boolean podInitializing) {
        Run run = seen.last(name());
        Run before = seen.of(name()).size() > 1 ? seen.of(name()).get(1) : null;
        V1ContainerStatus status = new V1ContainerStatus().name(name()).image(spec.getImage()).imageID("").ready(false)
                .started(false).restartCount(0).lastState(new V1ContainerState()).volumeMounts(orNull(mounts()));
        if (run != null) {
            V1ResourceRequirements resources = spec.getResources();
            status.resources(resources == null ? new V1ResourceRequirements() : resources)
                    .allocatedResources(resources == null ? null : resources.getRequests());
            String image = run.status().getImage().getImage();
            status.containerID(run.idPrefix() + run.id()).restartCount(run.attempt())
                    .imageID(run.status().getImageRef()).image(image.isEmpty() ? spec.getImage() : image)
                    .lastState(before == null || !before.hasEnded() ? new V1ContainerState() : before.terminated());
        }
        if (run != null && run.isRunning()) {
            Probes probing = probes;
            boolean probed = probing != null && probing.containerId.equals(run.id());
            return status.state(run.running()).started(probed && probing != null && probing.isStarted())
                    .ready((kind == Kind.MAIN || kind == Kind.SIDECAR) && probed && probing != null
                            && probing.isReady());
        }
        if (run != null && run.hasEnded() && waitingReason.isEmpty()) {
            return status.state(run.terminated()).ready(kind == Kind.INIT && run.succeeded());
        }
        if (run != null && run.hasEnded()) {
            status.lastState(run.terminated());
        }
        return status.state(new V1ContainerState().waiting(new V1ContainerStateWaiting()
                .reason(!waitingReason.isEmpty()
                        ? waitingReason
                        : podInitializing ? "PodInitializing" : "ContainerCreating")
                .message(waitingMessage.isEmpty() ? null : waitingMessage)));
    }
}
