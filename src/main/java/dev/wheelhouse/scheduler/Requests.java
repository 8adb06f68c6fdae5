package dev.wheelhouse.scheduler;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

/**
 * The resources that a pod requests or a node offers.
 *
 * @param milliCpu thousandths of a CPU
 * @param memory bytes
 * @param ephemeralStorage bytes
 * @param other further resources by name, in their own units; sorted, so that the order of messages is stable
 */
record Requests(long milliCpu, long memory, long ephemeralStorage, Map<String, Long> other) {
    /** The default request of a container without requests, for scoring (upstream: {@code util/pod_resources.go}). */
    private static final long ASSUMED_MILLI_CPU = 100;
    private static final long ASSUMED_MEMORY = 200L << 20;

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final String EPHEMERAL_STORAGE = "ephemeral-storage";
    private static final String PODS = "pods";

    /**
     * The requests of a pod. The requests of containers and sidecars are added up. An init container needs its own in
     * addition to those of the sidecars before it; the maximum of these counts. CPU, memory and huge pages of the pod
     * itself replace the sums. The overhead is added at the end.
     */
    static Requests of(V1PodSpec spec) {
        return of(spec, false);
    }

    /** The requests of a pod for scoring: containers without a CPU or memory request count with a default. */
    static Requests forScoring(V1PodSpec spec) {
        return of(spec, true);
    }

    private static Requests of(V1PodSpec spec, boolean assume) {
        Map<String, Long> sum = new TreeMap<>();
        for (V1Container container : orEmpty(spec.getContainers())) {
            add(sum, container(container, assume));
        }
        Map<String, Long> sidecars = new TreeMap<>();
        Map<String, Long> init = new TreeMap<>();
        for (V1Container container : orEmpty(spec.getInitContainers())) {
            Map<String, Long> own = container(container, assume);
            if ("Always".equals(container.getRestartPolicy())) {
                add(sum, own);
                add(sidecars, own);
                max(init, sidecars);
            } else {
                add(own, sidecars);
                max(init, own);
            }
        }
        max(sum, init);
        amounts(spec.getResources()).forEach((name, amount) -> {
            if (name.equals(CPU) || name.equals(MEMORY) || name.startsWith("hugepages-")) {
                sum.put(name, amount);
            }
        });
        add(sum, amounts(spec.getOverhead()));
        return ofAmounts(sum);
    }

    /** The resources that a node offers, without {@code pods}. */
    static Requests offered(@Nullable Map<String, Quantity> allocatable) {
        Map<String, Long> amounts = amounts(allocatable);
        amounts.remove(PODS);
        return ofAmounts(amounts);
    }

    /** The maximum number of pods on a node. */
    static int pods(@Nullable Map<String, Quantity> allocatable) {
        return (int) Math.min(Integer.MAX_VALUE, amounts(allocatable).getOrDefault(PODS, 0L));
    }

    private static Requests ofAmounts(Map<String, Long> amounts) {
        Map<String, Long> other = new TreeMap<>(amounts);
        other.remove(CPU);
        other.remove(MEMORY);
        other.remove(EPHEMERAL_STORAGE);
        other.values().removeIf(v -> v == 0);
        return new Requests(amounts.getOrDefault(CPU, 0L), amounts.getOrDefault(MEMORY, 0L),
                amounts.getOrDefault(EPHEMERAL_STORAGE, 0L), other.isEmpty() ? Map.of() : other);
    }

    private static Map<String, Long> container(V1Container container, boolean assume) {
        Map<String, Long> amounts = amounts(container.getResources());
        if (assume) {
            amounts.putIfAbsent(CPU, ASSUMED_MILLI_CPU);
            amounts.putIfAbsent(MEMORY, ASSUMED_MEMORY);
        }
        return amounts;
    }

    private static Map<String, Long> amounts(@Nullable V1ResourceRequirements resources) {
        return amounts(resources == null ? null : resources.getRequests());
    }

    private static Map<String, Long> amounts(@Nullable Map<String, Quantity> quantities) {
        Map<String, Long> amounts = new TreeMap<>();
        if (quantities != null) {
            quantities.forEach((name, quantity) -> amounts.put(name, amount(name, quantity.getNumber())));
        }
        return amounts;
    }

    private static long amount(String name, BigDecimal number) {
        BigDecimal units = (name.equals(CPU) ? number.movePointRight(3) : number).setScale(0, RoundingMode.CEILING);
        return units.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
    }

    private static void add(Map<String, Long> to, Map<String, Long> more) {
        more.forEach((name, amount) -> to.merge(name, amount, Requests::saturatedSum));
    }

    private static void max(Map<String, Long> to, Map<String, Long> other) {
        other.forEach((name, amount) -> to.merge(name, amount, Math::max));
    }

    private static long saturatedSum(long a, long b) {
        long sum = a + b;
        return a > 0 && b > 0 && sum < 0 ? Long.MAX_VALUE : sum;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
