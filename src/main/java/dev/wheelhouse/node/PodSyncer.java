package dev.wheelhouse.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * Syncs one pod: calls the runtime, then passes the new status to the status manager (upstream: {@code SyncPod},
 * {@code SyncTerminatingPod}, {@code SyncTerminatedPod} in {@code pkg/kubelet/kubelet.go}). The status is read after
 * the runtime's call, so that a pod that starts at once is reported once.
 */
final class PodSyncer implements PodWorkers.Syncer {
    private static final Duration PATIENCE_STEP = Duration.ofMillis(500);
    /**
     * After the start of this process, the longest time that a static pod waits for its mirror pod with the last
     * status.
     */
    static final Duration MIRROR_PATIENCE = Duration.ofSeconds(5);

    private final PodRuntime runtime;
    private final StatusManager statuses;
    private final PodManager pods;
    private final @Nullable MirrorPods mirrors;
    /** Static pods whose mirror pods are missing or wrong, with the time until the next attempt. */
    private final Map<String, Duration> mirrorWanted = new ConcurrentHashMap<>();
    private final PodEventRecorder events;
    private final String hostIp;
    private final Clock clock;
    private final BooleanSupplier mirrorsKnown;
    private final long patientUntil;

    /**
     * @param mirrors null without an API server
     * @param mirrorsKnown whether this node's pods on the API server are known
     */
    PodSyncer(PodRuntime runtime, StatusManager statuses, PodManager pods, @Nullable MirrorPods mirrors,
            PodEventRecorder events, String hostIp, BooleanSupplier mirrorsKnown, Clock clock) {
        this.runtime = runtime;
        this.statuses = statuses;
        this.pods = pods;
        this.mirrors = mirrors;
        this.events = events;
        this.hostIp = hostIp;
        this.clock = clock;
        this.mirrorsKnown = mirrorsKnown;
        this.patientUntil = clock.deadline(MIRROR_PATIENCE);
    }

    @Override
    public boolean syncPod(V1Pod desired) {
        Moment now = Moment.of(clock);
        V1Pod pod = desired;
        MirrorPods mirrored = PodSources.isStatic(desired) ? mirrors : null;
        if (mirrored != null) {
            if (!mirrorsKnown.getAsBoolean() && now.nanos() < patientUntil) {
                mirrorWanted.put(PodManager.uid(desired), PATIENCE_STEP);
                return false;
            }
            pod = withReportedStatus(desired);
        }
        boolean done = sync(pod, now);
        if (mirrored != null) {
            // The mirror pod comes last because its write may take long: a static pod runs even without an API server.
            reconcile(mirrored, desired);
        }
        return done;
    }

    /**
     * Syncs a pod with the runtime.
     * @return whether the pod has ended
     */
    private boolean sync(V1Pod pod, Moment now) {
        V1PodStatus before = statuses.get(PodManager.uid(pod));
        String evicted = runtime.evicted(PodManager.uid(pod));
        if (evicted != null || pastDeadline(pod, before, now)) {
            String reason = evicted != null ? "Evicted" : "DeadlineExceeded";
            String message = evicted != null
                    ? evicted
                    : "Pod was active on the node longer than the specified deadline";
            statuses.set(pod, status(pod, before, false, now).phase(PodPhases.FAILED).reason(reason).message(message));
            events.event(pod, "", evicted != null ? "Warning" : "Normal", reason, message);
            return true;
        }
        runtime.sync(pod);
        V1PodStatus status = status(pod, before, false, now);
        boolean over = PodPhases.isTerminal(status.getPhase());
        if (!over || anyRunning(pod)) {
            // The final status of a pod that has ended by itself follows at once, in one write.
            statuses.set(pod, status);
        }
        return over;
    }

    private boolean anyRunning(V1Pod pod) {
        PodRuntimeStatus status = runtime.status(PodManager.uid(pod));
        return status != null && status.anyRunning();
    }

    private void reconcile(MirrorPods mirrored, V1Pod pod) {
        Duration again = mirrored.reconcile(pod, pods.mirrorOf(pod));
        if (again == null) {
            mirrorWanted.remove(PodManager.uid(pod));
        } else {
            mirrorWanted.put(PodManager.uid(pod), again);
        }
    }

    /** A copy of a static pod with the status of its mirror pod, if the runtime does not know the pod yet. */
    private V1Pod withReportedStatus(V1Pod pod) {
        V1Pod mirror = pods.mirrorOf(pod);
        return mirror == null || !PodManager.isMirrorOf(mirror, pod) || runtime.status(PodManager.uid(pod)) != null
                ? pod
                : new V1Pod().apiVersion("v1").kind("Pod").metadata(pod.getMetadata()).spec(pod.getSpec())
                        .status(mirror.getStatus());
    }

    private static boolean pastDeadline(V1Pod pod, @Nullable V1PodStatus before, Moment now) {
        Instant deadline = deadline(pod, before);
        return deadline != null && !now.wall().isBefore(deadline);
    }

    private static @Nullable Instant deadline(V1Pod pod, @Nullable V1PodStatus before) {
        Long seconds = pod.getSpec().getActiveDeadlineSeconds();
        V1PodStatus status = before != null ? before : pod.getStatus();
        return seconds == null || status == null || status.getStartTime() == null
                ? null
                : Durations.after(status.getStartTime().toInstant(), seconds);
    }

    @Override
    public @Nullable Duration untilDeadline(V1Pod pod) {
        Instant deadline = deadline(pod, statuses.get(PodManager.uid(pod)));
        Duration mirror = mirrorWanted.get(PodManager.uid(pod));
        Duration own = deadline == null ? null : Duration.between(clock.now(), deadline);
        return own == null || (mirror != null && mirror.compareTo(own) < 0) ? mirror : own;
    }

    private V1PodStatus status(V1Pod pod, @Nullable V1PodStatus before, boolean stopped, Moment now) {
        return PodStatuses.of(pod, runtime.status(PodManager.uid(pod)), before, hostIp, stopped, now);
    }

    @Override
    public boolean syncTerminatingPod(V1Pod pod, Duration gracePeriod) {
        runtime.kill(pod, gracePeriod);
        if (!anyRunning(pod)) {
            return true;
        }
        statuses.set(pod, status(pod, statuses.get(PodManager.uid(pod)), false, Moment.of(clock)));
        return false;
    }

    @Override
    public void syncTerminatedPod(V1Pod pod) {
        String uid = PodManager.uid(pod);
        V1PodStatus status = PodStatuses.ended(pod, runtime.status(uid), statuses.get(uid), hostIp, Moment.of(clock));
        statuses.finish(pod, status);
        if (mirrors != null || pods.get(uid) == null) {
            runtime.remove(uid);
        } // else: without an API server the runtime alone remembers, over a restart, that the pod has ended
        mirrorWanted.remove(uid);
        if (mirrors != null) {
            mirrors.forget(uid);
        }
    }
}
