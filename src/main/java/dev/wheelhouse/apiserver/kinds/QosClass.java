package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** The quality of service class of a pod (upstream: {@code pkg/apis/core/helper/qos}). */
public final class QosClass {
    private static final Set<String> COUNTED = Set.of("cpu", "memory");

    private QosClass() {}

    public static String of(ObjectNode pod) {
        Map<String, BigDecimal> requests = new HashMap<>();
        Map<String, BigDecimal> limits = new HashMap<>();
        boolean guaranteed = true;
        for (String list : new String[]{"containers", "initContainers"}) {
            JsonNode containers = Json.at(pod, "spec", list);
            if (containers == null) {
                continue;
            }
            for (JsonNode container : containers) {
                add(Json.at(container, "resources", "requests"), requests);
                guaranteed &= add(Json.at(container, "resources", "limits"), limits) == COUNTED.size();
            }
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return "BestEffort";
        }
        boolean equal = requests.entrySet().stream()
                .allMatch(e -> e.getValue().compareTo(limits.getOrDefault(e.getKey(), BigDecimal.ZERO)) == 0);
        return guaranteed && equal && requests.size() == limits.size() ? "Guaranteed" : "Burstable";
    }

    /** @return how many of the counted resources are above zero */
    private static int add(@Nullable JsonNode amounts, Map<String, BigDecimal> sums) {
        int found = 0;
        if (amounts instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> amount : object.properties()) {
                if (!COUNTED.contains(amount.getKey())) {
                    continue;
                }
                BigDecimal value;
                try {
                    value = Quantity.fromString(amount.getValue().asString("")).getNumber();
                } catch (RuntimeException e) {
                    continue;
                }
                if (value.signum() > 0) {
                    sums.merge(amount.getKey(), value, BigDecimal::add);
                    found++;
                }
            }
        }
        return found;
    }
}
