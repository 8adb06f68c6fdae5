package dev.wheelhouse.scheduler;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.quota.PodAmounts;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The resources that a pod requests or a node offers.
 *
 * @param milliCpu thousandths of a CPU
 * @param memory bytes
 * @param ephemeralStorage bytes
 * @param other further resources by name, in their own units; sorted, so that the order of messages is stable
 */
record ResourceAmounts(long milliCpu, long memory, long ephemeralStorage, Map<String, Long> other) {
    /** The default request of a container without requests, for scoring (upstream: {@code util/pod_resources.go}). */
    private static final Map<String, Quantity> ASSUMED = Map.of("cpu", new Quantity("100m"), "memory",
            new Quantity("200Mi"));

    static final String CPU = "cpu";
    static final String MEMORY = "memory";
    static final String EPHEMERAL_STORAGE = "ephemeral-storage";
    private static final String PODS = "pods";

    /** The resources that every node has. */
    static final List<String> BASIC = List.of(CPU, MEMORY, EPHEMERAL_STORAGE);

    Iterable<String> names() {
        return other.isEmpty() ? BASIC : Stream.concat(BASIC.stream(), other.keySet().stream()).toList();
    }

    long amount(String resource) {
        return switch (resource) {
            case CPU -> milliCpu;
            case MEMORY -> memory;
            case EPHEMERAL_STORAGE -> ephemeralStorage;
            default -> other.getOrDefault(resource, 0L);
        };
    }

    /** The requests of a pod. */
    static ResourceAmounts of(V1Pod pod) {
        return ofAmounts(amounts(PodAmounts.requests(pod)));
    }

    /** The requests of a pod for scoring: containers without a CPU or memory request count with a default. */
    static ResourceAmounts forScoring(V1Pod pod) {
        return ofAmounts(amounts(PodAmounts.requests(pod, ASSUMED)));
    }

    /** The resources that a node offers, without {@code pods}. */
    static ResourceAmounts offered(@Nullable Map<String, Quantity> allocatable) {
        Map<String, Long> amounts = amounts(allocatable);
        amounts.remove(PODS);
        return ofAmounts(amounts);
    }

    /** The maximum number of pods on a node. */
    static int pods(@Nullable Map<String, Quantity> allocatable) {
        return (int) Math.min(Integer.MAX_VALUE, amounts(allocatable).getOrDefault(PODS, 0L));
    }

    private static ResourceAmounts ofAmounts(Map<String, Long> amounts) {
        Map<String, Long> other = new TreeMap<>(amounts);
        other.remove(CPU);
        other.remove(MEMORY);
        other.remove(EPHEMERAL_STORAGE);
        other.values().removeIf(v -> v == 0);
        return new ResourceAmounts(amounts.getOrDefault(CPU, 0L), amounts.getOrDefault(MEMORY, 0L),
                amounts.getOrDefault(EPHEMERAL_STORAGE, 0L), other.isEmpty() ? Map.of() : other);
    }

    private static Map<String, Long> amounts(@Nullable Map<String, Quantity> quantities) {
        Map<String, Long> amounts = new TreeMap<>();
        orEmpty(quantities).forEach((name, quantity) -> amounts.put(name, amount(name, quantity.getNumber())));
        return amounts;
    }

    private static long amount(String name, BigDecimal number) {
        BigDecimal units = (name.equals(CPU) ? number.movePointRight(3) : number).setScale(0, RoundingMode.CEILING);
        return units.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
    }
}
