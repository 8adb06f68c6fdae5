package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.health.Health;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.runtime.Clock;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Remembers how the replicas of ReplicaSets changed, for the timeline of a rollout. It keeps the last
 * {@value #MOST_SAMPLES} changes of the {@value #MOST_SETS} ReplicaSets that changed last, and the
 * {@value #MOST_PODS} pods that went last. Thread safe.
 */
final class Rollouts {
    static final int MOST_SETS = 500;
    static final int MOST_SAMPLES = 200;
    static final String REVISION = "deployment.kubernetes.io/revision";
    private static final int MOST_PODS = 2000;

    private final Clock clock;
    private final Map<String, Series> byUid = BoundedMap.byUse(MOST_SETS);
    private final Map<String, Gone> gone = BoundedMap.byAge(MOST_PODS);

    /** When pods that are not ready any more became ready: one that is stopped becomes unready before it goes. */
    private final Map<String, Long> readied = BoundedMap.byAge(MOST_PODS);

    private record Gone(String ownerUid, ObjectView.Life life) {}

    /**
     * The replicas of a ReplicaSet from a moment on.
     *
     * @param at milliseconds since 1970
     */
    record Sample(long at, int wanted, int current, int ready, int available) {
        private boolean isLike(Sample other) {
            return wanted == other.wanted && current == other.current && ready == other.ready
                    && available == other.available;
        }
    }

    /**
     * One ReplicaSet over time.
     *
     * @param revision the revision of its Deployment; empty without one
     */
    record Series(String name, String ownerUid, String revision, List<String> images, List<Sample> samples) {}

    Rollouts(Clock clock) {
        this.clock = clock;
    }

    /** Begins to follow the caches of ReplicaSets and pods, if there are any. */
    void follow(SharedInformerFactory caches) {
        Set<ResourceType> cached = caches.informers().stream().map(SharedIndexInformer::type)
                .collect(Collectors.toSet());
        if (cached.contains(ResourceType.REPLICA_SETS)) {
            caches.informer(ResourceType.REPLICA_SETS, V1ReplicaSet.class)
                    .addEventHandler(ResourceEventHandler.of(this::note));
        }
        if (cached.contains(ResourceType.REPLICA_SETS) && cached.contains(ResourceType.PODS)) {
            caches.informer(ResourceType.PODS, V1Pod.class).addEventHandler(ResourceEventHandler.of(this::notePod));
        }
    }

    private void notePod(@Nullable V1Pod before, @Nullable V1Pod after) {
        V1OwnerReference owner = before == null ? null : OwnerReferences.controllerOf(before.getMetadata());
        if (before == null || owner == null) {
            return;
        }
        String uid = String.valueOf(before.getMetadata().getUid());
        Long ready = ObjectView.Life.ready(before);
        if (after == null) {
            Health state = Health.of(before);
            synchronized (this) {
                gone.put(uid, new Gone(owner.getUid(), ObjectView.Life.of(before, state,
                        ready == null ? readied.get(uid) : ready, clock.now().toEpochMilli())));
            }
        } else if (ready != null && ObjectView.Life.ready(after) == null) {
            synchronized (this) {
                readied.put(uid, ready);
            }
        }
    }

    /** The pods of the ReplicaSets of an owner that went. */
    synchronized List<ObjectView.Life> gone(String ownerUid) {
        return gone.values().stream().filter(pod -> pod.ownerUid.equals(ownerUid)
                || (byUid.get(pod.ownerUid) instanceof Series set && set.ownerUid.equals(ownerUid)))
                .map(Gone::life).toList();
    }

    /** The ReplicaSets of an owner, in the order of their first samples. */
    synchronized List<Series> of(String ownerUid) {
        return byUid.values().stream().filter(series -> series.ownerUid.equals(ownerUid))
                .map(series -> new Series(series.name, ownerUid, series.revision, series.images,
                        List.copyOf(series.samples)))
                .sorted(Comparator.comparingLong(series -> series.samples.getFirst().at)).toList();
    }

    private synchronized void note(@Nullable V1ReplicaSet before, @Nullable V1ReplicaSet after) {
        V1ReplicaSet set = after != null ? after : Objects.requireNonNull(before);
        V1OwnerReference owner = OwnerReferences.controllerOf(set.getMetadata());
        if (owner == null) {
            return;
        }
        V1ReplicaSetStatus status = Objects.requireNonNullElseGet(set.getStatus(), V1ReplicaSetStatus::new);
        Integer wanted = set.getSpec() == null ? null : set.getSpec().getReplicas();
        long now = clock.now().toEpochMilli();
        Sample sample = after == null
                ? new Sample(now, 0, 0, 0, 0)
                : new Sample(now, orZero(wanted), orZero(status.getReplicas()), orZero(status.getReadyReplicas()),
                        orZero(status.getAvailableReplicas()));
        Map<String, String> annotations = Objects.requireNonNullElse(set.getMetadata().getAnnotations(), Map.of());
        List<Sample> samples = byUid.computeIfAbsent(String.valueOf(set.getMetadata().getUid()),
                uid -> new Series(ObjectKey.of(set).name(), owner.getUid(),
                        annotations.getOrDefault(REVISION, ""), images(set),
                        new ArrayList<>())).samples;
        if (samples.isEmpty() || !samples.getLast().isLike(sample)) {
            samples.add(sample);
        }
        if (samples.size() > MOST_SAMPLES) {
            samples.removeFirst();
        }
    }

    private static List<String> images(V1ReplicaSet set) {
        V1PodTemplateSpec template = set.getSpec() == null ? null : set.getSpec().getTemplate();
        V1PodSpec spec = template == null ? null : template.getSpec();
        return spec == null
                ? List.of()
                : spec.getContainers().stream().map(container -> String.valueOf(container.getImage())).toList();
    }
}
