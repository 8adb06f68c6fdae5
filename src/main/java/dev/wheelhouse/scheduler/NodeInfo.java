package dev.wheelhouse.scheduler;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.HostPort;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * A node and the sums over its pods, which are updated pod by pod. Pods may be counted before the Node itself is known.
 * Not thread safe: {@link SchedulerCache} guards it.
 */
final class NodeInfo {
    private final String name;
    private @Nullable Facts facts;

    private final Map<String, PodInfo> placed = new LinkedHashMap<>();
    private long milliCpu;
    private long memory;
    private long ephemeralStorage;
    private long scoredMilliCpu;
    private long scoredMemory;
    private final Map<String, Long> other = new HashMap<>();
    private final Map<HostPort, Integer> ports = new HashMap<>();
    private final Map<PodGroup, Integer> groups = new HashMap<>();
    private final Map<AffinityTerms, Integer> affinities = new HashMap<>();
    private final Map<String, Integer> owners = new HashMap<>();

    /** The fields of a Node that scheduling depends on. A change of other fields makes no difference to any pod. */
    record Facts(Map<String, String> labels, List<V1Taint> taints, boolean unschedulable, ResourceAmounts allocatable,
            int allowedPods, Map<String, Long> images) {
        static Facts of(V1Node node) {
            Map<String, String> labels = node.getMetadata().getLabels();
            var allocatable = node.getStatus() == null
                    ? null
                    : node.getStatus().getAllocatable() != null
                            ? node.getStatus().getAllocatable()
                            : node.getStatus().getCapacity();
            return new Facts(labels == null ? Map.of() : labels, Taints.of(node),
                    node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
                    ResourceAmounts.offered(allocatable), ResourceAmounts.pods(allocatable),
                    node.getStatus() == null
                            ? Map.of()
                            : orEmpty(node.getStatus().getImages()).stream()
                                    .flatMap(image -> orEmpty(image.getNames()).stream()
                                            .map(name -> Map.entry(name, orZero(image.getSizeBytes()))))
                                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Math::max)));
        }
    }

    private static final Facts UNKNOWN = new Facts(Map.of(), List.of(), true, new ResourceAmounts(0, 0, 0, Map.of()),
            0, Map.of());

    NodeInfo(String name) {
        this.name = name;
    }

    /**
     * Sets the facts of the Node; null if the Node was deleted.
     * @return whether they changed
     */
    boolean setFacts(@Nullable Facts next) {
        boolean changed = next == null ? facts != null : !next.equals(facts);
        facts = next;
        return changed;
    }

    /** Adds a pod to the sums. */
    void add(PodInfo pod) {
        placed.put(pod.uid(), pod);
        count(pod, 1);
    }

    /** Removes a pod from the sums. It must equal the pod that was added. */
    void remove(PodInfo pod) {
        placed.remove(pod.uid());
        count(pod, -1);
    }

    private void count(PodInfo pod, int sign) {
        milliCpu += sign * pod.requests().milliCpu();
        memory += sign * pod.requests().memory();
        ephemeralStorage += sign * pod.requests().ephemeralStorage();
        scoredMilliCpu += sign * pod.forScoring().milliCpu();
        scoredMemory += sign * pod.forScoring().memory();
        pod.requests().other().forEach((resource, amount) -> other.merge(resource, sign * amount, NodeInfo::sum));
        pod.ports().forEach(port -> ports.merge(port, sign, NodeInfo::sum));
        groups.merge(pod.group(), sign, NodeInfo::sum);
        if (!pod.affinity().isEmpty()) {
            affinities.merge(pod.affinity(), sign, NodeInfo::sum);
        }
        if (!pod.owner().isEmpty()) {
            owners.merge(pod.owner(), sign, NodeInfo::sum);
        }
    }

    /** The sum, or null for 0, which removes the map entry. */
    private static @Nullable Integer sum(Integer a, Integer b) {
        return a + b == 0 ? null : Integer.valueOf(a + b);
    }

    private static @Nullable Long sum(Long a, Long b) {
        return a + b == 0 ? null : Long.valueOf(a + b);
    }

    String name() {
        return name;
    }

    /** Whether the Node is known. Nothing is scheduled to an unknown node. */
    boolean isKnown() {
        return facts != null;
    }

    private Facts facts() {
        return facts == null ? UNKNOWN : facts;
    }

    Map<String, String> labels() {
        return facts().labels;
    }

    List<V1Taint> taints() {
        return facts().taints;
    }

    boolean unschedulable() {
        return facts().unschedulable;
    }

    ResourceAmounts allocatable() {
        return facts().allocatable;
    }

    int allowedPods() {
        return facts().allowedPods;
    }

    /** The sizes of its images, by all their names. */
    Map<String, Long> images() {
        return facts().images;
    }

    int pods() {
        return placed.size();
    }

    /** The pods that count on this node. */
    Collection<PodInfo> placed() {
        return placed.values();
    }

    long milliCpu() {
        return milliCpu;
    }

    /** The sum of the requests of a resource. */
    long requested(String resource) {
        return switch (resource) {
            case ResourceAmounts.CPU -> milliCpu;
            case ResourceAmounts.MEMORY -> memory;
            case ResourceAmounts.EPHEMERAL_STORAGE -> ephemeralStorage;
            default -> other.getOrDefault(resource, 0L);
        };
    }

    /** The sum of the requests of a resource, in which containers without requests count with a default. */
    long scored(String resource) {
        return switch (resource) {
            case ResourceAmounts.CPU -> scoredMilliCpu;
            case ResourceAmounts.MEMORY -> scoredMemory;
            default -> requested(resource);
        };
    }

    Set<HostPort> ports() {
        return ports.keySet();
    }

    /** The number of pods of a controller on this node. */
    int podsOf(String owner) {
        return owners.getOrDefault(owner, 0);
    }

    /** The number of pods on this node whose group matches. */
    int count(Predicate<PodGroup> predicate) {
        int count = 0;
        for (Map.Entry<PodGroup, Integer> entry : groups.entrySet()) {
            if (predicate.test(entry.getKey())) {
                count += entry.getValue();
            }
        }
        return count;
    }

    /** The number of pods on this node, by group. */
    Map<PodGroup, Integer> groups() {
        return groups;
    }

    /** The number of pods on this node that have affinity terms, by these terms. */
    Map<AffinityTerms, Integer> affinities() {
        return affinities;
    }
}
