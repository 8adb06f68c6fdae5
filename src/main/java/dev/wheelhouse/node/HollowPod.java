package dev.wheelhouse.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.HollowContainer.Kind;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A simulated pod. It runs its init containers and sidecars in order, then its main containers. On a stop, the main
 * containers end first, then the sidecars in reverse order. An ephemeral container runs beside them all. Not thread
 * safe.
 */
final class HollowPod {
    final String ip;
    private final List<HollowContainer> inits = new ArrayList<>();
    private final List<HollowContainer> mains = new ArrayList<>();
    private final List<HollowContainer> ephemerals = new ArrayList<>();
    private final PodEventRecorder events;
    private final String nodeProfile;
    private V1Pod pod;
    private boolean killing;
    private long killAt = Long.MAX_VALUE;

    /** @param ip the pod's address; empty for a pod in the host's network */
    HollowPod(V1Pod pod, String ip, String nodeProfile, PodEventRecorder events, Moment now) {
        this.pod = pod;
        this.ip = ip;
        this.nodeProfile = nodeProfile;
        this.events = events;
        for (V1Container container : PodPhases.initContainers(pod.getSpec())) {
            inits.add(container(container, "Always".equals(container.getRestartPolicy()) ? Kind.SIDECAR : Kind.INIT));
        }
        for (V1Container container : pod.getSpec().getContainers()) {
            mains.add(container(container, Kind.MAIN));
        }
        addEphemerals();
        V1PodStatus reported = Objects.requireNonNullElseGet(pod.getStatus(), V1PodStatus::new);
        resume(now, inits, reported.getInitContainerStatuses());
        resume(now, mains, reported.getContainerStatuses());
        resume(now, ephemerals, reported.getEphemeralContainerStatuses());
    }

    private void addEphemerals() {
        orEmpty(pod.getSpec().getEphemeralContainers()).stream().skip(ephemerals.size())
                .map(spec -> ModelJson.read(ModelJson.tree(spec), V1Container.class))
                .forEach(spec -> ephemerals.add(container(spec, Kind.EPHEMERAL)));
    }

    private HollowContainer container(V1Container spec, Kind kind) {
        String policy = pod.getSpec().getRestartPolicy();
        HollowProfile profile = profile(spec, kind);
        HollowContainer container = new HollowContainer(kind, pod.getMetadata().getUid(), spec,
                policy == null ? "Always" : policy, profile,
                (c, type, reason, message) -> events.event(pod, c.fieldPath(), type, reason, message));
        for (String problem : profile.problems()) {
            events.event(pod, container.fieldPath(), "Warning", "InvalidHollowProfile", problem);
        }
        return container;
    }

    private HollowProfile profile(V1Container spec, Kind kind) {
        return HollowProfile.of(pod, spec, kind, kind == Kind.EPHEMERAL ? "none" : nodeProfile);
    }

    private static void resume(Moment now, List<HollowContainer> containers,
            @Nullable List<V1ContainerStatus> statuses) {
        for (V1ContainerStatus status : orEmpty(statuses)) {
            containers.stream().filter(c -> c.name().equals(status.getName())).forEach(c -> c.resume(now, status));
        }
    }

    /**
     * Uses a changed pod from now on, and makes the changes that are due.
     * @return whether anything changed
     */
    boolean sync(V1Pod newPod, Moment now) {
        boolean changed = false;
        if (newPod.getSpec() != pod.getSpec() || newPod.getMetadata() != pod.getMetadata()) {
            pod = newPod;
            changed = update(now, inits, PodPhases.initContainers(newPod.getSpec()))
                    | update(now, mains, newPod.getSpec().getContainers());
            addEphemerals();
        }
        return advance(now) | changed;
    }

    private boolean update(Moment now, List<HollowContainer> containers, List<V1Container> specs) {
        boolean changed = false;
        for (int i = 0; i < Math.min(containers.size(), specs.size()); i++) {
            HollowContainer container = containers.get(i);
            if (container.name().equals(specs.get(i).getName())) {
                changed |= container.update(now, specs.get(i), profile(specs.get(i), container.kind));
            }
        }
        return changed;
    }

    /**
     * Begins to stop the pod; a further call can only shorten the grace period.
     * @return whether anything changed
     */
    boolean kill(V1Pod newPod, Moment now, Duration grace) {
        pod = newPod;
        boolean first = !killing;
        killing = true;
        killAt = Math.min(killAt, now.after(grace));
        return advance(now) || first;
    }

    /**
     * Makes the changes that are due.
     * @return whether anything changed
     */
    boolean advance(Moment now) {
        if (killing) {
            return stopAll(now);
        }
        boolean changed = restartAll(now);
        for (HollowContainer ephemeral : ephemerals) {
            changed |= ephemeral.run(now);
        }
        boolean initialized = true;
        for (HollowContainer init : inits) {
            if (init.kind == Kind.INIT && init.succeeded()) {
                continue;
            }
            changed |= init.run(now);
            // After an init container has succeeded, the next one may start in the same step.
            if (init.kind == Kind.SIDECAR ? !init.isStarted() && !anyMainBegun() : !init.succeeded()) {
                initialized = false;
                break;
            }
        }
        if (initialized) {
            for (HollowContainer main : mains) {
                changed |= main.run(now);
            }
            if (mains.stream().allMatch(HollowContainer::isFinal)) {
                changed |= stopSidecars(now);
            }
        }
        return changed;
    }

    /** Removes all containers if one has ended in a way that restarts them all: main containers go first. */
    private boolean restartAll(Moment now) {
        if (Stream.concat(inits.stream(), mains.stream()).noneMatch(c -> c.restartsAll(now))) {
            return false;
        }
        mains.forEach(main -> main.reset(now));
        inits.forEach(init -> init.reset(now));
        return true;
    }

    /** Whether a main container has run. After that, a restarting sidecar does not delay main containers. */
    private boolean anyMainBegun() {
        return mains.stream().anyMatch(HollowContainer::hasBegun);
    }

    private boolean stopAll(Moment now) {
        boolean changed = false;
        for (HollowContainer container : all().toList()) {
            changed |= container.kind != Kind.SIDECAR && container.stop(now, killAt);
        }
        return stopSidecars(now) | changed;
    }

    private boolean stopSidecars(Moment now) {
        boolean changed = false;
        boolean late = now.nanos() >= killAt;
        if (!late && mains.stream().anyMatch(HollowContainer::isRunning)) {
            return false;
        }
        for (HollowContainer sidecar : inits.reversed()) {
            if (sidecar.kind == Kind.SIDECAR) {
                changed |= sidecar.stop(now, killAt);
                if (sidecar.isRunning() && !late) {
                    break;
                }
            }
        }
        return changed;
    }

    /**
     * The time of its next change without an outside cause, in monotonic nanoseconds; {@code Long.MAX_VALUE} if there
     * is none.
     */
    long due() {
        return all().mapToLong(HollowContainer::due).min().orElse(Long.MAX_VALUE);
    }

    private Stream<HollowContainer> all() {
        return Stream.of(mains, ephemerals, inits).flatMap(List::stream);
    }

    PodRuntimeStatus status() {
        boolean initializing = inits.stream()
                .anyMatch(c -> c.kind == Kind.SIDECAR ? !c.isStarted() : !c.succeeded());
        return new PodRuntimeStatus(true, ip,
                inits.stream().map(c -> c.status(inits.indexOf(c) > 0)).toList(),
                mains.stream().map(c -> c.status(initializing)).toList(),
                ephemerals.stream().map(c -> c.status(false)).toList());
    }
}
