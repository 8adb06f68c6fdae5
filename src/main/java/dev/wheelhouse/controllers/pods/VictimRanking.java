package dev.wheelhouse.controllers.pods;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * Orders pods by which to delete first if there are too many (upstream: {@code ActivePodsWithRanks} in
 * {@code pkg/controller/controller_utils.go}). Ages compare in logarithmic buckets. Among pods of about the same age
 * the UID decides, so the choice is arbitrary and does not follow the order of creation.
 *
 * @param relatedPerNode the number of active pods of the same owner's ReplicaSets, by node
 */
public record VictimRanking(Map<String, Integer> relatedPerNode, Instant now) implements Comparator<V1Pod> {
    /** The annotation by which users order deletions: pods with a lower cost go first. */
    public static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";

    /** By stage: without a node before bound, pending before running, unready before ready. */
    public static final Comparator<V1Pod> BY_STAGE = Comparator
            .<V1Pod, Boolean>comparing(pod -> !Pods.node(pod).isEmpty())
            .thenComparingInt(VictimRanking::phaseRank).thenComparing(Pods::isReady);
    /** By restarts: pods whose containers were restarted more often go first. */
    public static final Comparator<V1Pod> BY_RESTARTS = Comparator.comparingInt(VictimRanking::restarts)
            .thenComparingInt(VictimRanking::restartsOfSidecars).reversed();
    /** An arbitrary order, which does not follow that of creation. */
    public static final Comparator<V1Pod> BY_UID = Comparator.comparing(pod -> orEmpty(pod.getMetadata().getUid()));

    /**
     * The first {@code count} pods of the order. Because of the buckets the order is not transitive. A heap works with
     * that; the JDK's sort methods may throw.
     */
    public List<V1Pod> choose(Collection<V1Pod> pods, int count) {
        if (count >= pods.size()) {
            return List.copyOf(pods);
        }
        PriorityQueue<V1Pod> heap = new PriorityQueue<>(Math.max(1, pods.size()), this);
        heap.addAll(pods);
        List<V1Pod> victims = new ArrayList<>(count);
        for (V1Pod next = heap.poll(); next != null && victims.size() < count; next = heap.poll()) {
            victims.add(next);
        }
        return victims;
    }

    /** Negative if {@code a} is to be deleted before {@code b}. */
    @Override
    public int compare(V1Pod a, V1Pod b) {
        return BY_STAGE.thenComparingInt(VictimRanking::deletionCost)
                .thenComparing(this::related, Comparator.reverseOrder())
                .thenComparing((x, y) -> compareAges(x, Pods.readySince(x), y, Pods.readySince(y)))
                .thenComparing(BY_RESTARTS)
                .thenComparing((x, y) -> compareAges(x, Pods.created(x), y, Pods.created(y))).thenComparing(BY_UID)
                .compare(a, b);
    }

    private static int phaseRank(V1Pod pod) {
        return switch (Pods.phase(pod)) {
            case "Unknown" -> 1;
            case "Running" -> 2;
            default -> 0;
        };
    }

    /**
     * The deletion cost, a 32-bit integer; 0 if it is missing or malformed, for example with a plus sign or leading
     * zeros.
     */
    static int deletionCost(V1Pod pod) {
        String text = Metadata.annotation(pod, DELETION_COST);
        if (text == null || !text.matches("0|-[0-9]+|[1-9][0-9]*")) {
            return 0;
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private int related(V1Pod pod) {
        return relatedPerNode.getOrDefault(Pods.node(pod), 0);
    }

    /**
     * Orders by age. A missing time goes first, then younger before older. Equal times give 0; in one bucket the UID
     * decides.
     */
    private int compareAges(V1Pod a, @Nullable Instant timeA, V1Pod b, @Nullable Instant timeB) {
        if (timeA == null || timeB == null) {
            return Boolean.compare(timeA != null, timeB != null);
        }
        if (timeA.equals(timeB)) {
            return 0;
        }
        int order = Integer.compare(ageBucket(timeA), ageBucket(timeB));
        return order != 0 ? order : BY_UID.compare(a, b);
    }

    /** The exponent of the age in nanoseconds, to the base two; -1 if the age is not positive. */
    private int ageBucket(Instant time) {
        Duration age = Duration.between(time, now);
        return age.isPositive() ? Math.getExponent((double) Durations.saturatedNanos(age)) : -1;
    }

    private static int restarts(V1Pod pod) {
        return pod.getStatus() == null ? 0 : most(pod.getStatus().getContainerStatuses(), null);
    }

    private static int restartsOfSidecars(V1Pod pod) {
        return pod.getStatus() == null ? 0 : most(pod.getStatus().getInitContainerStatuses(), Pods.sidecars(pod));
    }

    private static int most(@Nullable List<V1ContainerStatus> statuses, @Nullable Set<String> only) {
        return orEmpty(statuses).stream().filter(status -> only == null || only.contains(status.getName()))
                .mapToInt(status -> orZero(status.getRestartCount())).max().orElse(0);
    }
}
