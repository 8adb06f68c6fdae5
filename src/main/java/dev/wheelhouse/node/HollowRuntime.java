package dev.wheelhouse.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.runtime.Clock;

/**
 * Runs the containers of a node's pods (upstream: {@code pkg/kubelet/container/runtime.go}, and the lifecycle events of
 * {@code pkg/kubelet/pleg}), and simulates them: each pod is a state machine with due times. {@link HollowProfile}
 * lists what a pod can ask for, {@link HollowImages} the images that cannot be pulled. If a pod is new to the runtime
 * but its status was reported before, it continues from that status, so that a restart of this process restarts no
 * container. The runtime has no thread: {@link #pollEvent} makes the changes that are due. No call waits for
 * containers. Thread safe; there is only one call at a time for each pod.
 */
final class HollowRuntime {
    private final Clock clock;
    private final PodEventRecorder events;
    private final PodIps ips;
    private final String profile;
    private final Map<String, HollowPod> pods = new HashMap<>();
    private final DueTimes dueTimes = new DueTimes();
    private volatile Runnable wake = () -> {};

    /** @param profile the name of the profile for pods that name none; see {@link HollowProfile#NAMED} */
    HollowRuntime(String podCidr, String profile, PodEventRecorder events, Clock clock) {
        this.ips = new PodIps(podCidr);
        this.profile = profile;
        this.events = events;
        this.clock = clock;
    }

    /** Starts the containers of a pod that should run, and restarts those that its policy restarts. */
    void sync(V1Pod pod) {
        Moment now = Moment.of(clock);
        synchronized (this) {
            HollowPod hollow = known(pod, now);
            hollow.sync(pod, now);
            dueTimes.set(pod.getMetadata().getUid(), hollow.due());
        }
        wake.run();
    }

    /**
     * Begins to stop a pod's containers. A later call may shorten the grace period, but not extend it.
     *
     * @param gracePeriod the time after which containers that still run are killed
     */
    void kill(V1Pod pod, Duration gracePeriod) {
        Moment now = Moment.of(clock);
        synchronized (this) {
            if (!pods.containsKey(pod.getMetadata().getUid()) && !wasReported(pod)) {
                return;
            }
            HollowPod hollow = known(pod, now);
            hollow.kill(pod, now, gracePeriod);
            dueTimes.set(pod.getMetadata().getUid(), hollow.due());
        }
        wake.run();
    }

    private static boolean wasReported(V1Pod pod) {
        return pod.getStatus() != null && pod.getStatus().getContainerStatuses() != null
                && pod.getStatus().getContainerStatuses().stream().anyMatch(s -> s.getContainerID() != null);
    }

    private HollowPod known(V1Pod pod, Moment now) {
        return pods.computeIfAbsent(pod.getMetadata().getUid(),
                uid -> new HollowPod(pod, ip(pod), profile, events, now));
    }

    private String ip(V1Pod pod) {
        if (Boolean.TRUE.equals(pod.getSpec().getHostNetwork())) {
            return "";
        }
        String reported = pod.getStatus() == null ? null : pod.getStatus().getPodIP();
        return reported != null && ips.reserve(reported) ? reported : ips.next();
    }

    /** The current status of a pod; null if the runtime does not know the pod. */
    synchronized @Nullable PodRuntimeStatus status(String uid) {
        HollowPod pod = pods.get(uid);
        return pod == null ? null : pod.status();
    }

    /** Drops a pod whose containers have stopped, and frees its resources. */
    synchronized void remove(String uid) {
        HollowPod pod = pods.remove(uid);
        if (pod != null) {
            ips.release(pod.ip);
            dueTimes.remove(uid);
        }
    }

    /** The UIDs of all pods that the runtime knows. */
    synchronized Set<String> pods() {
        return Set.copyOf(pods.keySet());
    }

    /**
     * Makes the changes that are due, until one pod's containers change.
     *
     * @return the UID of that pod, which is to be synced; null if no pod changed
     */
    @Nullable
    String pollEvent() {
        Moment now = Moment.of(clock);
        synchronized (this) {
            for (String uid = dueTimes.poll(now.nanos()); uid != null; uid = dueTimes.poll(now.nanos())) {
                HollowPod pod = pods.get(uid);
                boolean changed = pod != null && pod.advance(now);
                if (pod != null) {
                    dueTimes.set(uid, pod.due());
                }
                if (changed) {
                    return uid;
                }
            }
            return null;
        }
    }

    /** The nanoseconds until the next event; 0 if one is waiting, {@code Long.MAX_VALUE} if none is expected. */
    synchronized long nanosToNextEvent() {
        return dueTimes.nanosToNext(clock.nanoTime());
    }

    /**
     * Sets a callback that runs when an event may come earlier than {@link #nanosToNextEvent} returned. It must not
     * block.
     */
    void onEvent(Runnable wake) {
        this.wake = wake;
    }
}
