package dev.wheelhouse.apiserver.rest;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.WatchFeed;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sharded lists and watches (KEP-5866). The answers to wrong selectors are those of kube-apiserver 1.36.2 with the
 * feature gate ShardedListAndWatch.
 */
class ShardedListsTest {
    private static final String ALL = "/api/v1/secrets";
    private static final String FIRST = "shardRange(object.metadata.namespace, '0x0000000000000000', "
            + "'0x8000000000000000')";
    private static final String SECOND = "shardRange(object.metadata.namespace, '0x8000000000000000', "
            + "'0x10000000000000000')";

    private final RestClient rest = new RestClient();

    @BeforeEach
    void secretsInNamespacesOfBothHalves() {
        for (String namespace : List.of("team-1", "a", "blue", "zoo", "green")) {
            rest.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"%s\"}}".formatted(namespace));
            rest.post("/api/v1/namespaces/" + namespace + "/secrets", "{\"metadata\": {\"name\": \"x\"}}");
        }
    }

    private static String sharded(String path, String selector) {
        return path + (path.contains("?") ? "&" : "?") + "shardSelector="
                + URLEncoder.encode(selector, StandardCharsets.UTF_8);
    }

    private static List<String> namespaces(JsonNode list) {
        List<String> namespaces = new ArrayList<>();
        list.path("items").forEach(item -> namespaces.add(Json.text(item, "metadata", "namespace")));
        return namespaces;
    }

    @Test
    void eachObjectIsInOneShardAndTheListTellsWhich() {
        JsonNode first = rest.get(sharded(ALL, FIRST));
        JsonNode second = rest.get(sharded(ALL, SECOND));

        assertThat(namespaces(first)).isNotEmpty().allMatch(ShardSelector.ofNamespaces(0, 2)::matches);
        assertThat(namespaces(second)).isNotEmpty().allMatch(ShardSelector.ofNamespaces(1, 2)::matches);
        assertThat(namespaces(first).size() + namespaces(second).size()).isEqualTo(5);
        assertThat(Json.text(first, "metadata", "shardInfo", "selector")).isEqualTo(FIRST);
        assertThat(namespaces(rest.get(sharded(ALL, FIRST + "||" + SECOND)))).hasSize(5);
        assertThat(rest.get(ALL).at("/metadata/shardInfo").isMissingNode()).isTrue();
    }

    @Test
    void objectsMayBeDividedByTheirUids() {
        JsonNode list = rest.get(sharded(ALL, FIRST.replace("namespace", "uid")));
        ShardSelector uids = new ShardSelector(ShardSelector.UID, ShardSelector.ofNamespaces(0, 2).ranges());
        assertThat(list.path("items")).allMatch(item -> uids.matches(Json.text(item, "metadata", "uid")));
        assertThat(rest.get(ALL).path("items").size() - list.path("items").size()).isPositive();
    }

    @Test
    void clusterScopedObjectsHaveAnEmptyNamespace() {
        assertThat(rest.get(sharded("/api/v1/namespaces", FIRST)).path("items")).isEmpty();
        JsonNode page = rest.get(sharded("/api/v1/namespaces?limit=1", SECOND));
        assertThat(page.path("items")).hasSize(1);
        assertThat(page.at("/metadata/remainingItemCount").intValue()).isPositive();
    }

    @Test
    void listsOfMetadataAreDividedButDoNotTellTheShard() {
        ApiResponse.Content answer = rest.content(ApiRequest.of("GET", sharded(ALL, SECOND), null)
                .withAccept("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"));
        JsonNode list = Json.read(answer.body());
        assertThat(namespaces(list)).isNotEmpty().allMatch(ShardSelector.ofNamespaces(1, 2)::matches);
        assertThat(list.at("/metadata/shardInfo").isMissingNode()).isTrue();
    }

    @Test
    void aWatchBringsTheEventsOfTheShard() {
        WatchFeed feed = rest.watch(sharded(ALL + "?watch=true&resourceVersion="
                + Json.text(rest.get(ALL), "metadata", "resourceVersion"), FIRST), "application/json");
        for (String namespace : List.of("team-1", "a", "blue", "zoo", "green")) {
            rest.post("/api/v1/namespaces/" + namespace + "/secrets", "{\"metadata\": {\"name\": \"y\"}}");
        }
        List<String> seen = new ArrayList<>();
        for (WatchFeed.Event event = feed.next(); event != null; event = feed.next()) {
            seen.add(Json.text(Json.read(event.object()), "metadata", "namespace"));
        }
        assertThat(seen).isNotEmpty().hasSizeLessThan(5).allMatch(ShardSelector.ofNamespaces(0, 2)::matches);
    }

    @Test
    void theDeletionOfACollectionMayBeOfAShard() {
        rest.call("DELETE", sharded("/api/v1/namespaces/a/secrets", FIRST), "", "");
        assertThat(rest.get("/api/v1/namespaces/a/secrets").path("items")).hasSize(1);
        JsonNode deleted = rest.call("DELETE", sharded("/api/v1/namespaces/a/secrets", SECOND), "", "");
        assertThat(Json.text(deleted, "metadata", "shardInfo", "selector")).isEqualTo(SECOND);
        assertThat(rest.get("/api/v1/namespaces/a/secrets").path("items")).isEmpty();
    }

    @Test
    void theTargetOfTheFunctionAndItsQuotesDoNotMatter() {
        assertThat(namespaces(rest.get(sharded(ALL, "x." + FIRST.replace('\'', '"')))))
                .isEqualTo(namespaces(rest.get(sharded(ALL, FIRST))));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/shard-selectors.txt", quoteCharacter = '`', delimiter = '~')
    void aWrongSelectorIsRefusedInUpstreamsWords(String selector, String problem) {
        for (String path : List.of(ALL, ALL + "?watch=true")) {
            JsonNode status = rest.get(sharded(path, selector.replace("N,", "object.metadata.namespace,")
                    .replace("N >", "object.metadata.namespace >")));
            assertThat(rest.last.code()).isEqualTo(500);
            assertThat(Json.text(status, "message")).isEqualTo("invalid shard selector: " + problem);
            assertThat(status.has("reason")).isFalse();
        }
    }

    @Test
    void theRangesAreOfOneField() {
        JsonNode status = rest.get(sharded(ALL, FIRST + " || " + FIRST.replace("namespace", "uid")));
        assertThat(Json.text(status, "message")).isEqualTo("invalid shard selector: all shard ranges must use the same "
                + "field, got \"object.metadata.namespace\" and \"object.metadata.uid\"");
    }
}
