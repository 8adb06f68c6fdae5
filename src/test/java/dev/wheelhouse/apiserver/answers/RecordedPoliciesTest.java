package dev.wheelhouse.apiserver.answers;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/** The scenes with mutating admission policies, whose answers {@link RealPoliciesTest} recorded. */
class RecordedPoliciesTest {
    /** The recorded answers, in the order of the requests. */
    static List<JsonNode> recording() {
        return Resources.jsonLines("/recorded/policies.jsonl");
    }

    /** A line of the recording. */
    static ObjectNode entry(PolicyScenes.Request request, ObjectNode answer) {
        ObjectNode entry = Json.object().put("scene", request.scene()).put("request",
                request.probe().method() + " " + request.probe().target());
        entry.set("answer", answer);
        return entry;
    }

    /** The entries that differ from the recording, as text. */
    static String differences(List<ObjectNode> entries, List<JsonNode> recording) {
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            JsonNode wanted = i < recording.size() ? recording.get(i) : Json.object();
            if (!JsonValues.same(wanted, entries.get(i))) {
                differences.add("recorded " + wanted + "\n      now " + entries.get(i));
            }
        }
        return String.join("\n", differences);
    }

    @Test
    void answersAsTheRecordedServerDid() throws Exception {
        List<ObjectNode> entries = new ArrayList<>();
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
                HttpWire wire = new HttpWire(server.port(), false, "")) {
            for (PolicyScenes.Request request : PolicyScenes.all()) {
                entries.add(entry(request, PolicyScenes.answer(request, wire.exchange(request.probe()))));
            }
        }
        List<JsonNode> recording = recording();
        assertThat(differences(entries, recording)).isEmpty();
        assertThat(entries).hasSameSizeAs(recording).hasSizeGreaterThan(300);
    }
}
