package dev.wheelhouse.apiserver.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;

/** The usage that nodes with containers report. */
@FunctionalInterface
public interface NodeUsages {
    /** The time over which nodes measure, so that an earlier question gets the same answer. */
    Duration KEPT = Duration.ofSeconds(10);

    /** Null if the node is hollow or unknown. */
    @Nullable
    Usage of(String node);

    /**
     * The same answers, each of which is kept for {@link #KEPT}, as metrics-server keeps those of kubelets: autoscalers
     * ask often. Thread safe.
     */
    default NodeUsages kept(Clock clock) {
        record Kept(Usage usage, long until) {}
        Map<String, Kept> last = new ConcurrentHashMap<>();
        return node -> {
            Kept now = last.compute(node, (name, before) -> {
                if (before != null && clock.nanoTime() - before.until < 0) {
                    return before;
                }
                Usage usage = of(name);
                return usage == null ? null : new Kept(usage, clock.deadline(KEPT));
            });
            return now == null ? null : now.usage;
        };
    }

    /**
     * The usage of a node, in thousandths by resource.
     *
     * @param node of the machine; empty if the node does not say it
     * @param pods by namespace and name of the pod, such as {@code default/web}, and by container
     */
    record Usage(Map<String, Long> node, Map<String, Map<String, Map<String, Long>>> pods) {
        /** More than any machine has, so that thousandths of it are numbers, too. */
        private static final long MOST_BYTES = 1L << 50;
        /** The usage of a node that does not answer. */
        public static final Usage UNKNOWN = new Usage(Map.of(), Map.of());

        /** @param summary the answer of a kubelet at {@code /stats/summary} */
        public static Usage of(JsonNode summary) {
            Map<String, Map<String, Map<String, Long>>> pods = new HashMap<>();
            for (JsonNode pod : summary.path("pods")) {
                Map<String, Map<String, Long>> containers = new LinkedHashMap<>();
                for (JsonNode container : pod.path("containers")) {
                    containers.put(Json.text(container, "name"), usage(container));
                }
                pods.put(Json.text(pod, "podRef", "namespace") + "/" + Json.text(pod, "podRef", "name"), containers);
            }
            return new Usage(usage(summary.path("node")), pods);
        }

        private static Map<String, Long> usage(JsonNode of) {
            return Map.of("cpu", Json.number(of, 0, "cpu", "usageNanoCores") / 1_000_000, "memory",
                    Math.clamp(Json.number(of, 0, "memory", "workingSetBytes"), 0, MOST_BYTES) * 1000);
        }
    }
}
