package dev.wheelhouse.apiserver.table;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.protocol.Tables;
import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables that a real API server answered with. */
class GoldenTableTest {
    @Test
    void aWatchOfConfigMapsAsTablesIsWhatTheRealServerSent() {
        List<JsonNode> tables = recordedTables();
        assertThat(tables).hasSize(3);

        boolean first = true;
        for (JsonNode recorded : tables) {
            JsonNode metadata = recorded.at("/rows/0/object/metadata");
            ObjectNode object = Json.object();
            object.set("metadata", metadata);
            object.putObject("data").put("key", "value");
            Instant now = Instant.parse(Json.text(metadata, "creationTimestamp"))
                    .plus(Duration
                            .ofSeconds(Long.parseLong(recorded.at("/rows/0/cells/2").asString().replace("s", ""))));

            ObjectNode ours = Tables.table(TableTesting.resource("v1/configmaps"), List.of(object),
                    IncludeObject.METADATA, first, (ObjectNode) recorded.get("metadata"), now);

            assertThat(withoutDescriptions(Json.read(Json.bytes(ours))))
                    .isEqualTo(withoutDescriptions(recorded.deepCopy()));
            first = false;
        }
    }

    /** Descriptions are in words of our own. */
    private static JsonNode withoutDescriptions(JsonNode table) {
        table.get("columnDefinitions").forEach(column -> ((ObjectNode) column).remove("description"));
        return table;
    }

    private static List<JsonNode> recordedTables() {
        return Resources.json("/golden/api/watch.json").findValues("object").stream()
                .filter(object -> Json.text(object, "kind").equals("Table")).toList();
    }
}
