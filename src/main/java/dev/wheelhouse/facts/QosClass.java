package dev.wheelhouse.facts;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

/** The quality-of-service class of a pod (upstream: {@code pkg/apis/core/helper/qos}, {@code ComputePodQOS}). */
public final class QosClass {
    private static final List<String> COUNTED = List.of("cpu", "memory");

    private QosClass() {}

    /**
     * {@code Guaranteed}, {@code Burstable} or {@code BestEffort}. If the pod as a whole has {@code resources}, even
     * empty ones, they alone decide. Otherwise the sums over containers and init containers decide. An amount that is
     * no quantity or not above zero is ignored.
     *
     * @param spec a pod's {@code spec}, with its defaults set
     */
    public static String of(JsonNode spec) {
        Map<String, BigDecimal> requests = new TreeMap<>();
        Map<String, BigDecimal> limits = new TreeMap<>();
        boolean limited = true;
        JsonNode ofPod = spec.path("resources");
        if (ofPod.isObject()) {
            add(ofPod.path("requests"), requests);
            limited = add(ofPod.path("limits"), limits);
        } else {
            for (String list : List.of("containers", "initContainers")) {
                for (JsonNode container : spec.path(list)) {
                    add(container.path("resources").path("requests"), requests);
                    limited &= add(container.path("resources").path("limits"), limits);
                }
            }
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        return limited && requests.equals(limits) ? "Guaranteed" : "Burstable";
    }

    /** Adds the amounts to the sums. @return whether each counted resource has an amount */
    private static boolean add(JsonNode amounts, Map<String, BigDecimal> sums) {
        boolean all = true;
        for (String name : COUNTED) {
            BigDecimal amount = Quantities.parse(amounts.path(name).asString(""));
            if (amount != null && amount.signum() > 0) {
                sums.merge(name, amount, BigDecimal::add);
            } else {
                all = false;
            }
        }
        return all;
    }
}
