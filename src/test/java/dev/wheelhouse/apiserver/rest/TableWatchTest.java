package dev.wheelhouse.apiserver.rest;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Watches that deliver Tables. */
class TableWatchTest {
    private final RestClient rest = new RestClient();

    private WatchFeed secrets(String include) {
        return rest.watch(NS + "secrets?watch=true&sendInitialEvents=true&allowWatchBookmarks=true"
                + "&resourceVersionMatch=NotOlderThan&includeObject=" + include,
                "application/json;as=Table;v=v1;g=meta.k8s.io");
    }

    @Test
    void theEndOfTheInitialEventsIsARowOfItsOwn() {
        rest.post(NS + "secrets", "{\"metadata\": {\"name\": \"one\"}}");
        for (String include : new String[]{"", "None", "Metadata", "Object"}) {
            WatchFeed feed = secrets(include);
            assertThat(requireNonNull(feed.next()).type()).isEqualTo("ADDED");
            WatchFeed.Event end = requireNonNull(feed.next());
            assertThat(end.type()).isEqualTo("BOOKMARK");
            JsonNode table = Json.read(end.object());
            assertThat(Json.text(table, "metadata", "resourceVersion")).isNotEmpty();
            assertThat(table.get("rows")).hasSize(1);
            JsonNode shown = table.get("rows").get(0).get("object");
            assertThat(Json.text(shown, "metadata", "annotations", "k8s.io/initial-events-end")).isEqualTo("true");
            assertThat(Json.text(shown, "kind")).isEqualTo(include.equals("Object")
                    ? "Secret"
                    : "PartialObjectMetadata");
        }
    }
}
