package dev.wheelhouse.node;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.podconfig.PodSources;

/** The state of one pod's worker. {@link PodWorkers} guards it with its lock. */
final class PodWorker {
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_GRACE = Duration.ofSeconds(1);

    /** The stages of a pod. */
    enum State {
        SYNC, TERMINATING, TERMINATED
    }

    final String uid;
    final ObjectKey name;
    final boolean isStatic;
    V1Pod pod;
    State state = State.SYNC;
    /** Whether the pod may run. A static pod waits until an earlier one of the same name has ended. */
    boolean started;
    boolean finished;
    /** Whether the same pod was added again while it was being stopped. */
    boolean restartRequested;
    private @Nullable Duration grace;

    PodWorker(V1Pod pod) {
        this.uid = PodManager.uid(pod);
        this.name = ObjectKey.of(pod);
        this.isStatic = PodSources.isStatic(pod);
        this.pod = pod;
    }

    /** The grace period of its containers. */
    Duration grace() {
        return grace == null ? DEFAULT_GRACE : grace;
    }

    /** Begins to stop the pod, unless that has begun. */
    void terminate() {
        if (state == State.SYNC) {
            state = State.TERMINATING;
            shortenGrace(null);
        }
    }

    /**
     * Shortens the grace period to the one of the deletion and to {@code override}. If there is none yet, that of the
     * spec counts.
     */
    void shortenGrace(@Nullable Duration override) {
        Long deletion = pod.getMetadata().getDeletionGracePeriodSeconds();
        shorten(deletion == null ? null : Duration.ofSeconds(deletion));
        shorten(override);
        Long own = pod.getSpec().getTerminationGracePeriodSeconds();
        if (grace == null) {
            shorten(own == null ? DEFAULT_GRACE : Duration.ofSeconds(own));
        }
    }

    private void shorten(@Nullable Duration candidate) {
        if (candidate != null && (grace == null || candidate.compareTo(grace) < 0)) {
            grace = candidate.compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : candidate;
        }
    }
}
