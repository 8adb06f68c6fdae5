package dev.wheelhouse.node;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.podconfig.PodSources;

/** What is known of one pod's way through its life. {@link PodWorkers} owns it, under its lock. */
final class PodWorker {
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_GRACE = Duration.ofSeconds(1);

    /** How far a pod is. */
    enum State {
        SYNC, TERMINATING, TERMINATED
    }

    final String uid;
    final ObjectKey name;
    final boolean isStatic;
    V1Pod pod;
    State state = State.SYNC;
    /** Whether its turn has come; a static pod waits for the one of its name before it. */
    boolean started;
    boolean finished;
    /** Whether the same pod was asked for again while it was being stopped. */
    boolean restartRequested;
    private @Nullable Duration grace;

    PodWorker(V1Pod pod) {
        this.uid = PodManager.uid(pod);
        this.name = ObjectKey.of(pod);
        this.isStatic = PodSources.isStatic(pod);
        this.pod = pod;
    }

    /** How long its containers may take to stop. */
    Duration grace() {
        return grace == null ? DEFAULT_GRACE : grace;
    }

    /** Begins to stop it, unless that has begun. */
    void terminate() {
        if (state == State.SYNC) {
            state = State.TERMINATING;
            shortenGrace(null);
        }
    }

    /** Takes the shortest grace period of those that were given so far: by its deletion, by its spec, by who stops it. */
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
