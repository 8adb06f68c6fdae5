package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;

/**
 * Decides which pods the node accepts, and lets the others fail. If the Node's labels or taints cause a rejection, the
 * pod first waits until the Node has been read again, because they may have changed. (Kubelet reads the Node at once
 * and blocks.) Only the sync loop's thread calls it.
 */
final class PodAdmitter {
    private static final Logger log = LoggerFactory.getLogger(PodAdmitter.class);

    /** The longest time that a pod waits for a read of the Node. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final PodAdmission admission;
    private final NodeRegistration registration;
    private final PodManager pods;
    private final PodWorkers workers;
    private final StatusManager statuses;
    private final PodEventRecorder events;
    private final NodeMetrics metrics;
    private final Clock clock;
    private final Map<String, Waiting> waiting = new LinkedHashMap<>();

    /**
     * @param read the number of the read of the Node that the pod waits for
     * @param until the end of the wait, in monotonic nanoseconds
     */
    private record Waiting(long read, long until) {}

    PodAdmitter(PodAdmission admission, NodeRegistration registration, PodManager pods, PodWorkers workers,
            StatusManager statuses, PodEventRecorder events, NodeMetrics metrics, Clock clock) {
        this.admission = admission;
        this.registration = registration;
        this.pods = pods;
        this.workers = workers;
        this.statuses = statuses;
        this.events = events;
        this.metrics = metrics;
        this.clock = clock;
    }

    /**
     * Decides about a new pod.
     *
     * @return the pod for its worker, with status Failed if it is rejected; null if the pod has to wait
     */
    @Nullable
    V1Pod admit(V1Pod pod) {
        String uid = PodManager.uid(pod);
        boolean ending = pod.getMetadata().getDeletionTimestamp() != null
                || (pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase()));
        PodAdmission.Rejection rejection = ending || workers.state(uid) != null
                ? null
                : admission.decide(pod, active(), registration.facts());
        if (rejection == null) {
            waiting.remove(uid);
            return pod;
        }
        boolean mayChange = rejection.message().startsWith("Predicate ");
        if (mayChange && mustWait(uid)) {
            return null;
        }
        waiting.remove(uid);
        return rejected(pod, rejection);
    }

    private boolean mustWait(String uid) {
        Waiting there = waiting.get(uid);
        if (there == null) {
            waiting.put(uid, new Waiting(registration.readSoon(), clock.deadline(PATIENCE)));
            return true;
        }
        return !isDue(there);
    }

    private boolean isDue(Waiting wait) {
        return registration.lastRead() >= wait.read || clock.nanoTime() >= wait.until;
    }

    private V1Pod rejected(V1Pod pod, PodAdmission.Rejection rejection) {
        log.warn("the pod {} is rejected ({}): {}", PodSources.describe(pod), rejection.reason(), rejection.message());
        metrics.podRejected(rejection.reason());
        events.event(pod, "", "Warning", rejection.reason(), rejection.message());
        V1PodStatus failed = new V1PodStatus().phase(PodPhases.FAILED).reason(rejection.reason())
                .message("Pod was rejected: " + rejection.message()).startTime(Moment.of(clock).stamp())
                .observedGeneration(pod.getMetadata().getGeneration());
        statuses.finish(pod, failed);
        return new V1Pod().apiVersion("v1").kind("Pod").metadata(pod.getMetadata()).spec(pod.getSpec()).status(failed);
    }

    /** Sets a callback that runs when {@link #due} may return a pod. It must not block. */
    void onNews(Runnable wake) {
        registration.onRead(wake);
    }

    /** Whether a pod waits for a decision. */
    boolean isWaiting(String uid) {
        return waiting.containsKey(uid);
    }

    /** The waiting pods that can be decided about now. */
    List<V1Pod> due() {
        List<V1Pod> due = new ArrayList<>();
        waiting.keySet().removeIf(uid -> pods.get(uid) == null);
        waiting.forEach((uid, since) -> {
            V1Pod pod = pods.get(uid);
            if (pod != null && isDue(since)) {
                due.add(pod);
            }
        });
        return due;
    }

    /** The nanoseconds until {@link #due} returns a pod at the latest; {@code Long.MAX_VALUE} if none waits. */
    long nanosToNext() {
        return waiting.values().stream().mapToLong(w -> Math.max(0, w.until - clock.nanoTime())).min()
                .orElse(Long.MAX_VALUE);
    }

    /** The pods that the node has accepted and that have not ended. */
    private List<V1Pod> active() {
        return pods.pods().stream().filter(p -> {
            PodWorker.State state = workers.state(PodManager.uid(p));
            return state != null && state != PodWorker.State.TERMINATED;
        }).toList();
    }
}
