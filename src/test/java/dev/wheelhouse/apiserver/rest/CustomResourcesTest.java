package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.WatchFeed;
import dev.wheelhouse.apiserver.store.StoredObject;

import static org.assertj.core.api.Assertions.assertThat;

/** Custom resources whose test needs the store or a watch. {@link TranscriptTest} has the others. */
class CustomResourcesTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String V1 = "/apis/shop.example.com/v1/namespaces/default/orders";
    private static final String DEFINITION = """
            metadata: {name: orders.shop.example.com}
            spec:
              group: shop.example.com
              scope: Namespaced
              names: {plural: orders, kind: Order}
              versions:
              - name: v1
                served: true
                storage: true
                schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                additionalPrinterColumns: [%s]
            """;
    private static final String KEY = "customresourcedefinitions.apiextensions.k8s.io";

    private final RestClient client = new RestClient();

    private void define(String columns) {
        client.create(CRDS, DEFINITION.formatted(columns));
        assertThat(client.last.code()).isEqualTo(201);
    }

    private JsonNode order(String name) {
        return client.create(V1, "{metadata: {name: " + name + "}, spec: {text: " + "x".repeat(100_000) + "}}");
    }

    /** The index of OpenAPI, which is sent as text. */
    private String index() {
        return new String(client.content(ApiRequest.of("GET", "/openapi/v3", null)).body(), StandardCharsets.UTF_8);
    }

    @Test
    void aResourceIsServedAsLongAsItsDefinitionIsStoredWhoeverRemovesIt() {
        define("");
        StoredObject definition = Objects.requireNonNull(client.store.get(KEY, "", "orders.shop.example.com"));
        assertThat(index()).contains("shop.example.com");
        client.store.delete(KEY, "", definition.name(), definition.version());
        assertThat(index()).doesNotContain("shop.example.com");
        assertThat(client.get("/apis").toString()).doesNotContain("shop.example.com");
        assertThat(client.content(ApiRequest.of("GET", V1, null)).code()).isEqualTo(404);
    }

    @Test
    void columnsThatShowOneLongTextOverAndOverEndAtTheMostCharactersOfARow() {
        define(IntStream.range(0, 300).mapToObj(i -> "{name: C" + i + ", type: string, jsonPath: .spec.text}")
                .collect(Collectors.joining(", ")));
        order("a");
        byte[] answer = client.content(ApiRequest.of("GET", V1, null)
                .withAccept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json")).body();
        assertThat(answer).hasSizeLessThan(1_300_000);
        assertThat(Json.read(answer).at("/rows/0/cells/300").asString()).isEqualTo("<too long>");
    }

    @Test
    void aDefinitionWaitsForTheFinalizersOfItsObjectsAndTakesNoNewOnes() {
        define("");
        order("a");
        client.merge(V1 + "/a", "{\"metadata\": {\"finalizers\": [\"shop.example.com/held\"]}}");
        order("b");
        WatchFeed watch = client.watch(V1 + "?watch=1", "application/json");
        JsonNode marked = client.delete(CRDS + "/orders.shop.example.com");
        assertThat(marked.at("/status/conditions").findValuesAsString("reason")).contains("InstanceDeletionInProgress");
        assertThat(marked.at("/metadata/finalizers").toString()).contains("customresourcecleanup.apiextensions.k8s.io");
        assertThat(Json.text(order("c"), "message"))
                .endsWith("create not allowed while custom resource definition is terminating");
        assertThat(client.get(V1).at("/items").findValuesAsString("name")).containsExactly("a");
        client.merge(V1 + "/a", "{\"metadata\": {\"finalizers\": null}}");
        client.get(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(404);
        StringBuilder events = new StringBuilder();
        for (WatchFeed.Event event = watch.next(); event != null; event = watch.next()) {
            events.append(event.type()).append(' ');
        }
        assertThat(events.toString()).isEqualTo("ADDED ADDED MODIFIED DELETED DELETED ");
        assertThat(watch.isEnded()).isTrue();
    }

    @Test
    void aFurtherDeletionContinuesOneThatEndedEarly() {
        define("");
        order("a");
        StoredObject marked = Objects.requireNonNull(client.store.get(KEY, "", "orders.shop.example.com"));
        ObjectNode crd = marked.tree();
        Meta.of(crd).put("deletionTimestamp", Meta.time(client.clock.now()));
        Meta.setFinalizers(crd, List.of("customresourcecleanup.apiextensions.k8s.io"));
        client.store.update(KEY, crd, marked.version());

        client.delete(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(200);
        client.get(CRDS + "/orders.shop.example.com");
        assertThat(client.last.code()).isEqualTo(404);
        assertThat(client.store.get("orders.shop.example.com", "default", "a")).isNull();
    }
}
