package dev.wheelhouse.simulation;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import tools.jackson.databind.JsonNode;

/** The pods of a workload at the end of a run. */
final class PodCounts {
    private PodCounts() {}

    /**
     * The number of pods by image, state and owner. Failed pods are left out: the choice of the evicted pod is random,
     * and it stays until its owner is deleted.
     *
     * @param owner the owner's name without its generated part
     */
    static Map<String, String> of(Api api, String workload, UnaryOperator<String> owner) {
        Map<String, String> counts = new TreeMap<>();
        for (JsonNode pod : api.podsOf(workload)) {
            if (!ObjectFields.word(pod).equals("failed")) {
                counts.merge("pods " + ObjectFields.text(pod.path("spec").path("containers").path(0), "image") + " "
                        + ObjectFields.word(pod) + " of " + owner.apply(ObjectFields.owner(pod)), "1",
                        (n, one) -> String.valueOf(Integer.parseInt(n) + 1));
            }
        }
        return counts;
    }
}
