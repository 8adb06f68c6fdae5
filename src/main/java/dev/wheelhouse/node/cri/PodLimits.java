package dev.wheelhouse.node.cri;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.facts.PodResources;
import dev.wheelhouse.facts.QosClass;
import dev.wheelhouse.facts.Quantities;

/**
 * The limits of the control group of a whole pod (upstream: {@code ResourceConfigForPod} in
 * {@code pkg/kubelet/cm/helpers_linux.go}).
 *
 * @param qos the class of the pod
 * @param shares the weight of its CPU time
 * @param quota the microseconds of CPU time in a period; 0 for any
 * @param memory in bytes; 0 for any
 */
record PodLimits(String qos, long shares, long quota, long memory) {
    static final int MOST_WEIGHT = 10_000;
    static final int MOST_SHARES = 262_144;

    static PodLimits of(JsonNode spec) {
        return new PodLimits(QosClass.of(spec), Configs.shares(amount(spec, "requests", "cpu")),
                Configs.quota(amount(spec, "limits", "cpu")),
                amount(spec, "limits", "memory").min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue());
    }

    /**
     * The amount of the pod as a whole, else the sum of its containers; with the pod's overhead. It is limited only if
     * each of them is.
     */
    private static BigDecimal amount(JsonNode spec, String list, String name) {
        BigDecimal own = Quantities.parse(spec.path("resources").path(list).path(name).asString(""));
        boolean counts = list.equals("requests") || Stream.of("containers", "initContainers")
                .flatMap(field -> spec.path(field).valueStream())
                .allMatch(each -> each.path("resources").path(list).has(name));
        BigDecimal sum = own != null && own.signum() > 0
                ? own
                : counts ? PodResources.aggregate(spec, list).getOrDefault(name, BigDecimal.ZERO) : BigDecimal.ZERO;
        BigDecimal overhead = Quantities.parse(spec.path("overhead").path(name).asString("0"));
        return overhead != null && (list.equals("requests") || sum.signum() > 0) ? sum.add(overhead) : sum;
    }

    /** The files to write with their contents; for version 1 below the directories of their controllers. */
    Map<String, String> files(boolean unified) {
        String period = String.valueOf(Configs.PERIOD_MICROS);
        return new TreeMap<>(unified
                ? Map.of("cpu.weight", String.valueOf(weight(shares)), "cpu.max",
                        (quota == 0 ? "max" : quota) + " " + period, "memory.max",
                        memory == 0 ? "max" : String.valueOf(memory))
                : Map.of("cpu/cpu.shares", String.valueOf(shares), "cpu/cpu.cfs_period_us", period,
                        "cpu/cpu.cfs_quota_us", String.valueOf(quota == 0 ? -1 : quota),
                        "memory/memory.limit_in_bytes", String.valueOf(memory == 0 ? -1 : memory)));
    }

    /**
     * The weight of version 2 for shares of version 1, as runc converts it: 1, 100 and 10,000 for 2, 1,024, 262,144.
     */
    static long weight(long shares) {
        if (shares <= 2 || shares >= MOST_SHARES) {
            return shares <= 2 ? 1 : MOST_WEIGHT;
        }
        double log = Math.log(shares) / Math.log(2);
        return (long) Math.ceil(Math.pow(10, (log * log + 125 * log) / 612.0 - 7.0 / 34.0));
    }
}
