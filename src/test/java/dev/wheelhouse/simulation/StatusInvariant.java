package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;

/** The status of an object of any kind never goes back to an older generation. */
record StatusInvariant(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        KubernetesObject object = write.request().object();
        if (object == null || !write.request().subresource().equals("status")) {
            return List.of();
        }
        long written = observed(ModelJson.tree(object));
        if (written < 0) {
            return List.of();
        }
        long stored = truth.list(write.request().type(), JsonNode.class).stream()
                .filter(o -> ObjectFields.name(o).equals(write.request().key().name())).findFirst()
                .map(StatusInvariant::observed).orElse(-1L);
        return written >= stored
                ? List.of()
                : List.of("the status of " + write.request().key().name() + " goes back from generation " + stored
                        + " to " + written);
    }

    private static long observed(JsonNode object) {
        return object.path("status").path("observedGeneration").asLong(-1);
    }
}
