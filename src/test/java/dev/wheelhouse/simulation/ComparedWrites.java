package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.testing.WriteRequest;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the number of the controllers' writes with the recording's. */
final class ComparedWrites {
    private final Api api;
    private final List<String> writes = new ArrayList<>();
    private final boolean reportsTerminating;
    private int recorded;

    /** @param reportsTerminating whether the recorded control plane reported {@code status.terminatingReplicas} */
    ComparedWrites(Api api, boolean reportsTerminating) {
        this.api = api;
        this.reportsTerminating = reportsTerminating;
    }

    /** Counts the recorded requests that succeeded. */
    void remember(JsonNode change) {
        for (JsonNode request : change.path("req")) {
            String[] words = request.asString().split(" ");
            for (int i = 1; i < words.length; i++) {
                if (words[i].matches("20[01]")) {
                    boolean times = i + 1 < words.length && words[i + 1].matches("x\\d+");
                    recorded += times ? Integer.parseInt(words[i + 1].substring(1)) : 1;
                    break;
                }
            }
        }
    }

    /** Whether a write counts, because the recorded control plane would make it too. Call it before the write. */
    boolean counts(WriteRequest request) {
        return !request.type().equals(ResourceType.EVENTS) && (reportsTerminating || !isNewerThanTheRecording(request));
    }

    void add(WriteRequest request) {
        writes.add(request.toString());
    }

    void clear() {
        writes.clear();
    }

    void compare() {
        assertThat(writes).as("writes of the controllers; the real ones needed %d", recorded)
                .hasSizeLessThanOrEqualTo(recorded);
    }

    /** Whether the write only reports {@code status.terminatingReplicas}, which 1.26 did not have. */
    private boolean isNewerThanTheRecording(WriteRequest request) {
        KubernetesObject object = request.object();
        if (object == null || !request.subresource().equals("status")) {
            return false;
        }
        return status(ModelJson.tree(object))
                .equals(status(api.get(request.type().kind(), request.key().name())));
    }

    private static Map<String, String> status(JsonNode object) {
        Map<String, String> status = new TreeMap<>();
        object.path("status").properties().stream()
                .filter(e -> !e.getKey().equals("terminatingReplicas") && !e.getValue().toString().equals("0"))
                .forEach(e -> status.put(e.getKey(), e.getKey().equals("conditions")
                        ? e.getValue().valueStream()
                                .map(c -> c.path("type").asString("") + c.path("status") + c.path("reason")
                                        + c.path("message"))
                                .sorted().toList().toString()
                        : e.getValue().toString()));
        return status;
    }
}
