package dev.wheelhouse.facts;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Sums over the containers of a pod (upstream: {@code component-helpers/resource/helpers.go}). */
public final class PodResources {
    private PodResources() {}

    /**
     * The requests of all containers: for each resource the sum over the containers that run at the same time, or the
     * highest demand during the start if that is more. A sidecar, which is an init container with the restart policy
     * Always, counts from its start on.
     */
    public static Map<String, String> aggregateRequests(ObjectNode spec) {
        Map<String, String> result = new TreeMap<>();
        aggregate(spec, "requests").forEach((name, value) -> result.put(name, text(name, value, spec, "requests")));
        return result;
    }

    /** A sum over the containers of a pod, in the format of the first amount that is not zero. */
    public static String text(String name, BigDecimal sum, JsonNode spec, String list) {
        String first = Stream.of("containers", "initContainers").flatMap(field -> spec.path(field).valueStream())
                .map(container -> container.path("resources").path(list).path(name).asString(""))
                .filter(text -> text.chars().anyMatch(c -> c > '0' && c <= '9')).findFirst().orElse("");
        return Quantities.canonical(sum, first.endsWith("i"), false);
    }

    /**
     * The {@code requests} or the {@code limits} of a pod, by resource, in the resource's unit: the sum over the
     * containers that run at the same time, or the highest demand during the start if that is more.
     *
     * @param spec the pod's specification
     * @param list {@code requests} or {@code limits}
     */
    public static Map<String, BigDecimal> aggregate(JsonNode spec, String list) {
        Map<String, BigDecimal> running = new TreeMap<>();
        for (JsonNode container : spec.path("containers")) {
            add(container, list, running);
        }
        Map<String, BigDecimal> sidecars = new TreeMap<>();
        Map<String, BigDecimal> peak = new TreeMap<>();
        for (JsonNode container : spec.path("initContainers")) {
            Map<String, BigDecimal> now = new TreeMap<>(sidecars);
            add(container, list, now);
            if (container.path("restartPolicy").asString("").equals("Always")) {
                sidecars.putAll(now);
                add(container, list, running);
            }
            now.forEach((name, value) -> peak.merge(name, value, BigDecimal::max));
        }
        peak.forEach((name, value) -> running.merge(name, value, BigDecimal::max));
        return running;
    }

    private static void add(JsonNode container, String list, Map<String, BigDecimal> sums) {
        if (container.path("resources").path(list) instanceof ObjectNode requests) {
            for (Map.Entry<String, JsonNode> request : requests.properties()) {
                BigDecimal value = Quantities.parse(request.getValue().asString());
                if (value != null) {
                    sums.merge(request.getKey(), value, BigDecimal::add);
                }
            }
        }
    }
}
