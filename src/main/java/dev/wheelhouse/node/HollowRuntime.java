package dev.wheelhouse.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.runtime.Clock;

/**
 * A runtime that simulates pods: each pod is a state machine with due times. {@link HollowProfile} lists what a pod can
 * ask for, {@link HollowImages} the images that cannot be pulled. If a pod is new to the runtime but its status was
 * reported before, it continues from that status, so that a restart of this process restarts no container. The runtime
 * has no thread: {@link #pollEvent} makes the changes that are due. Thread safe.
 */
final class HollowRuntime implements PodRuntime {
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

    @Override
    public void sync(V1Pod pod) {
        Moment now = Moment.of(clock);
        synchronized (this) {
            HollowPod hollow = known(pod, now);
            hollow.sync(pod, now);
            dueTimes.set(pod.getMetadata().getUid(), hollow.due());
        }
        wake.run();
    }

    @Override
    public void kill(V1Pod pod, Duration gracePeriod) {
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

    @Override
    public synchronized @Nullable PodRuntimeStatus status(String uid) {
        HollowPod pod = pods.get(uid);
        return pod == null ? null : pod.status();
    }

    @Override
    public synchronized void remove(String uid) {
        HollowPod pod = pods.remove(uid);
        if (pod != null) {
            ips.release(pod.ip);
            dueTimes.remove(uid);
        }
    }

    @Override
    public synchronized void retain(Set<String> uids) {
        pods.keySet().stream().filter(uid -> !uids.contains(uid)).toList().forEach(this::remove);
    }

    @Override
    public synchronized Set<String> pods() {
        return Set.copyOf(pods.keySet());
    }

    @Override
    public @Nullable PodLifecycleEvent pollEvent() {
        Moment now = Moment.of(clock);
        synchronized (this) {
            for (String uid = dueTimes.poll(now.nanos()); uid != null; uid = dueTimes.poll(now.nanos())) {
                HollowPod pod = pods.get(uid);
                boolean changed = pod != null && pod.advance(now);
                if (pod != null) {
                    dueTimes.set(uid, pod.due());
                }
                if (changed) {
                    return new PodLifecycleEvent(uid);
                }
            }
            return null;
        }
    }

    @Override
    public synchronized long nanosToNextEvent() {
        return dueTimes.nanosToNext(clock.nanoTime());
    }

    @Override
    public void onEvent(Runnable wake) {
        this.wake = wake;
    }
}
