package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

import static org.assertj.core.api.Assertions.assertThat;

/** Writers that change one definition, or definitions of one kind, at the same time. */
class ConcurrentDefinitionsTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String CUPS = "/apis/shop.example.com/v1/cups";
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final int ROUNDS = 150;
    private static final int WRITERS = 4;

    private final RestClient rest = new RestClient();

    /** Calls from several threads: the client keeps no answer. */
    private ApiResponse.Content send(String method, String path, String type, String body) {
        return rest.content(ApiRequest.of(method, path, type, body.getBytes(StandardCharsets.UTF_8)));
    }

    private static String definition(String plural, String kind, String field) {
        return """
                {"metadata": {"name": "%s.shop.example.com"}, "spec": {"group": "shop.example.com", "scope": "Cluster",
                 "names": {"plural": "%s", "kind": "%s"}, "versions": [{"name": "v1", "served": true, "storage": true,
                  "schema": {"openAPIV3Schema": {"type": "object", "properties": {"%s": {"type": "string"}}}}}]}}"""
                .formatted(plural, plural, kind, field);
    }

    private static void together(IntConsumer work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(WRITERS);
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                all.add(threads.submit(() -> {
                    start.await(30, TimeUnit.SECONDS);
                    work.accept(writer);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void theServedSchemaIsTheStoredOneWhateverTheOrderOfTheWriters() throws Exception {
        rest.post(CRDS, definition("cups", "Cup", "a"));
        for (int round = 0; round < ROUNDS; round++) {
            int now = round;
            together(writer -> send("PATCH", CRDS + "/cups.shop.example.com", "application/json-patch+json",
                    "[{\"op\": \"replace\", \"path\": \"/spec/versions/0/schema/openAPIV3Schema/properties\","
                            + " \"value\": {\"r" + now + "w" + writer + "\": {\"type\": \"string\"}}}]"));
            String field = rest.get(CRDS + "/cups.shop.example.com")
                    .at("/spec/versions/0/schema/openAPIV3Schema/properties").propertyNames().iterator().next();
            JsonNode kept = rest.post(CUPS + "?dryRun=All", "{\"metadata\": {\"name\": \"one\"}, \"" + field
                    + "\": \"kept\"}");
            assertThat(kept.path(field).asString("")).as("round %d: %s in %s", round, field, kept).isEqualTo("kept");
        }
    }

    @Test
    void aDefinitionThatIsDeletedWhileOthersChangeItIsNotServed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            rest.post(CRDS, definition("cups", "Cup", "a"));
            assertThat(rest.last.code()).isEqualTo(201);
            int now = round;
            together(writer -> {
                if (writer == 0) {
                    send("DELETE", CRDS + "/cups.shop.example.com", "", "");
                } else {
                    send("PATCH", CRDS + "/cups.shop.example.com", "application/merge-patch+json",
                            "{\"metadata\": {\"labels\": {\"w" + writer + "\": \"" + now + "\"}}}");
                }
            });
            rest.delete(CRDS + "/cups.shop.example.com");
            rest.get(CUPS);
            assertThat(rest.last.code()).as("round %d", round).isEqualTo(404);
        }
    }

    @Test
    void ofDefinitionsOfOneKindThatAreMadeTogetherOneIsAccepted() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int now = round;
            together(writer -> send("POST", CRDS, "application/json",
                    definition("cups" + now + "x" + writer, "Cup" + now, "a")));
            int accepted = 0;
            for (int writer = 0; writer < WRITERS; writer++) {
                String plural = "cups" + round + "x" + writer;
                JsonNode conditions = rest.get(CRDS + "/" + plural + ".shop.example.com").at("/status/conditions");
                boolean established = conditions.valueStream().anyMatch(c -> c.path("type").asString("")
                        .equals("Established") && c.path("status").asString("").equals("True"));
                rest.get("/apis/shop.example.com/v1/" + plural);
                assertThat(rest.last.code()).as(plural).isEqualTo(established ? 200 : 404);
                accepted += established ? 1 : 0;
            }
            assertThat(accepted).as("round %d", round).isEqualTo(1);
            for (int writer = 0; writer < WRITERS; writer++) {
                rest.delete(CRDS + "/cups" + round + "x" + writer + ".shop.example.com");
            }
        }
    }

    /** A request that begins before the change of a definition may end after it. */
    @Test
    void anObjectThatIsWrittenWhileItsDefinitionChangesGetsTheNewDefaults() throws Exception {
        rest.post(CRDS, definition("cups", "Cup", "a"));
        for (int round = 0; round < ROUNDS; round++) {
            String field = "r" + round;
            together(writer -> {
                if (writer == 0) {
                    send("PATCH", CRDS + "/cups.shop.example.com", "application/json-patch+json",
                            "[{\"op\": \"replace\", \"path\": \"/spec/versions/0/schema/openAPIV3Schema/properties\","
                                    + " \"value\": {\"" + field + "\": {\"type\": \"string\", \"default\": \"x\"}}}]");
                    return;
                }
                for (int i = 0; i < 10; i++) {
                    send("POST", CUPS, "application/json", "{\"metadata\": {\"name\": \"w" + writer + "-" + i + "\"}}");
                }
            });
            assertThat(rest.get(CUPS).path("items").valueStream().filter(item -> !item.has(field))
                    .map(item -> item.at("/metadata/name").asString(""))).as("round %d", round).isEmpty();
            rest.delete(CUPS);
        }
    }

    /** A second watch of the same object in the same form must not get the bytes of the schema before. */
    @Test
    void aWatchAfterAChangeOfTheDefinitionShowsObjectsByThePresentSchema() {
        String versions = """
                {"spec": {"versions": [
                 {"name": "v1", "served": true, "storage": true, "additionalPrinterColumns":
                  [{"name": "Size", "type": "string", "jsonPath": ".size"}], "schema": {"openAPIV3Schema":
                  {"type": "object", "properties": {"size": {"type": "string", "default": "%s"}}}}},
                 {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}
                ]}}""";
        rest.post(CRDS, definition("cups", "Cup", "a"));
        rest.merge(CRDS + "/cups.shop.example.com", versions.formatted("small"));
        rest.merge(CRDS + "/cups.shop.example.com", versions.formatted("small"));
        rest.post("/apis/shop.example.com/v2/cups", "{\"metadata\": {\"name\": \"one\"}}");
        rest.post("/apis/shop.example.com/v2/cups", "{\"metadata\": {\"name\": \"two\"}}");
        WatchFeed before = rest.watch(CUPS + "?watch=true", TABLE);
        assertThat(events(before)).hasSize(2).allMatch(row -> row.contains("small"));

        rest.merge(CRDS + "/cups.shop.example.com", versions.formatted("large"));

        assertThat(before.isEnded()).as("the watch by the schema before").isTrue();
        assertThat(events(rest.watch(CUPS + "?watch=true", TABLE))).hasSize(2)
                .allMatch(row -> row.contains("large"));
    }

    @Test
    void aWatchSurvivesAChangeOfTheDefinitionsStatus() {
        rest.post(CRDS, definition("cups", "Cup", "a"));
        WatchFeed feed = rest.watch(CUPS + "?watch=true", "application/json");

        rest.merge(CRDS + "/cups.shop.example.com", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        assertThat(rest.last.code()).isEqualTo(200);

        assertThat(feed.isEnded()).isFalse();
    }

    private static List<String> events(WatchFeed feed) {
        List<String> events = new ArrayList<>();
        for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
            events.add(new String(event.object(), StandardCharsets.UTF_8));
        }
        return events;
    }
}
