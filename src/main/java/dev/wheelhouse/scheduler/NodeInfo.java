package dev.wheelhouse.scheduler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.HostPort;

/**
 * A node and the sums over the pods on it, kept up to date pod by pod. Not thread safe: {@link SchedulerCache} guards it.
 * Until the node itself is known only the sums are.
 */
final class NodeInfo {
    private final String name;
    private @Nullable Facts facts;

    private int pods;
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
    private final TreeMap<Integer, Integer> priorities = new TreeMap<>();

    /** What the node itself says, as far as scheduling depends on it; equal facts make no difference to any pod. */
    record Facts(Map<String, String> labels, List<V1Taint> taints, boolean unschedulable, Requests allocatable,
            int allowedPods) {
        static Facts of(V1Node node) {
            Map<String, String> labels = node.getMetadata().getLabels();
            var allocatable = node.getStatus() == null
                    ? null
                    : node.getStatus().getAllocatable() != null
                            ? node.getStatus().getAllocatable()
                            : node.getStatus().getCapacity();
            return new Facts(labels == null ? Map.of() : labels, Taints.of(node),
                    node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
                    Requests.offered(allocatable), Requests.pods(allocatable));
        }
    }

    private static final Facts UNKNOWN = new Facts(Map.of(), List.of(), true, new Requests(0, 0, 0, Map.of()), 0);

    NodeInfo(String name) {
        this.name = name;
    }

    /** @return whether anything changed that scheduling depends on */
    boolean setFacts(@Nullable Facts next) {
        boolean changed = next == null ? facts != null : !next.equals(facts);
        facts = next;
        return changed;
    }

    /** Counts a pod. */
    void add(PodInfo pod) {
        count(pod, 1);
    }

    /** Uncounts a pod that was counted as equal to this one. */
    void remove(PodInfo pod) {
        count(pod, -1);
    }

    private void count(PodInfo pod, int sign) {
        pods += sign;
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
        priorities.merge(pod.priority(), sign, NodeInfo::sum);
    }

    /** Null, which removes the entry, instead of 0. */
    private static @Nullable Integer sum(Integer a, Integer b) {
        return a + b == 0 ? null : Integer.valueOf(a + b);
    }

    private static @Nullable Long sum(Long a, Long b) {
        return a + b == 0 ? null : Long.valueOf(a + b);
    }

    String name() {
        return name;
    }

    /** Whether the node itself is known; one that is not is no node to schedule to. */
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

    Requests allocatable() {
        return facts().allocatable;
    }

    int allowedPods() {
        return facts().allowedPods;
    }

    int pods() {
        return pods;
    }

    long milliCpu() {
        return milliCpu;
    }

    long memory() {
        return memory;
    }

    long ephemeralStorage() {
        return ephemeralStorage;
    }

    long other(String resource) {
        return other.getOrDefault(resource, 0L);
    }

    long scoredMilliCpu() {
        return scoredMilliCpu;
    }

    long scoredMemory() {
        return scoredMemory;
    }

    Set<HostPort> ports() {
        return ports.keySet();
    }

    /** How many pods of one controller are on it. */
    int podsOf(String owner) {
        return owners.getOrDefault(owner, 0);
    }

    /** How many pods are on it whose looks satisfy a predicate. */
    int count(Predicate<PodGroup> predicate) {
        int count = 0;
        for (Map.Entry<PodGroup, Integer> entry : groups.entrySet()) {
            if (predicate.test(entry.getKey())) {
                count += entry.getValue();
            }
        }
        return count;
    }

    /** Pods by their looks, with their number. */
    Map<PodGroup, Integer> groups() {
        return groups;
    }

    /** The rules of the pods that have rules about pods near them, with the number of such pods. */
    Map<AffinityTerms, Integer> affinities() {
        return affinities;
    }

    boolean hasPodsBelow(int priority) {
        return !priorities.isEmpty() && priorities.firstKey() < priority;
    }
}
