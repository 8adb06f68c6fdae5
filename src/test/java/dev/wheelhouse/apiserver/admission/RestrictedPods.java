package dev.wheelhouse.apiserver.admission;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** The restricted Pod Security Standard for pods that no server has. */
public final class RestrictedPods {
    private RestrictedPods() {}

    /** @return a sentence for each rule that a pod's spec breaks */
    public static List<String> violations(JsonNode spec) {
        return PodSecurityChecks.of(MissingNode.getInstance(), spec, true, Integer.MAX_VALUE).stream()
                .map(Object::toString).toList();
    }
}
