package dev.wheelhouse.apiserver.answers;

import java.util.List;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Resources;

import static org.assertj.core.api.Assertions.assertThat;

/** The scenes with managers of several versions, whose answers {@link RealVersionsTest} recorded. */
class RecordedVersionsTest {
    /** The recorded answers, in the order of the requests. */
    static List<JsonNode> recording() {
        return Resources.jsonLines("/recorded/versions.jsonl");
    }

    @Test
    void fieldsAreOwnedAndLostAcrossVersionsAsOnTheRecordedServer() throws Exception {
        List<ObjectNode> answers;
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start();
                HttpWire wire = new HttpWire(server.port(), false, "")) {
            answers = VersionScenes.answers(wire);
        }
        assertThat(RecordedPoliciesTest.differences(answers, recording())).isEmpty();
        assertThat(answers).hasSameSizeAs(recording()).hasSizeGreaterThan(80);
    }
}
