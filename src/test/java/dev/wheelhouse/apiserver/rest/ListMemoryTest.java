package dev.wheelhouse.apiserver.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.codec.ProtobufWriter;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.OutOfBudgetException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The memory that lists take. Anybody with the right to list may list all objects, and that must not exhaust the
 * process.
 */
class ListMemoryTest {
    private static final String CONFIG_MAPS = RestClient.NS + "configmaps";
    private static final int SIZE = 100_000;

    private final RestClient client = new RestClient();
    private final List<Long> taken = new ArrayList<>();

    @BeforeEach
    void fill() {
        for (int i = 0; i < 4; i++) {
            client.post(CONFIG_MAPS, "{\"metadata\": {\"name\": \"c" + i + "\", \"labels\": {\"n\": \"" + i
                    + "\"}}, \"data\": {\"k\": \"" + "x".repeat(SIZE) + "\"}}");
        }
    }

    private ApiResponse.Content list(String accept, LongConsumer taking) {
        Allowance allowance = (bytes, inAll) -> taking.accept(bytes);
        return allowance.call(
                () -> client.content(ApiRequest.of("GET", CONFIG_MAPS + "?labelSelector=n", null).withAccept(accept)));
    }

    private static byte[] written(ApiResponse.Content content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        content.writeTo(out);
        assertThat(content.length()).isEqualTo(out.size());
        assertThat(Arrays.equals(out.toByteArray(), content.body())).isTrue();
        return out.toByteArray();
    }

    @Test
    void aListInJsonTakesNoMemoryAndIsTheObjectsOneAfterTheOther() throws Exception {
        ApiResponse.Content list = list("application/json", taken::add);
        assertThat(taken).isEmpty();
        assertThat(list.pieces()).isNotNull();
        JsonNode read = Json.read(written(list));
        assertThat(read.path("kind").stringValue()).isEqualTo("ConfigMapList");
        assertThat(read.path("items").size()).isEqualTo(4);
        assertThat(read.path("items").path(3).path("data").path("k").stringValue()).hasSize(SIZE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "application/vnd.kubernetes.protobuf"})
    void otherFormsTakeTheMemoryOfTheirBytes(String accept) throws Exception {
        written(list(accept, taken::add));
        assertThat(taken).singleElement().satisfies(
                bytes -> assertThat(bytes).isBetween(4L * SIZE, 5L * SIZE));
    }

    @Test
    void aFormThatNeedsTreesOfAllObjectsAtATimeTakesTheMemoryOfThese() {
        list("application/yaml", taken::add);
        assertThat(taken).singleElement().satisfies(
                bytes -> assertThat(bytes).isGreaterThan(40L * SIZE));
    }

    @Test
    void aListForWhichThereIsNoMemoryIsRefusedWithTheRemedy() {
        ApiResponse.Content never = list("application/yaml", bytes -> {
            throw new OutOfBudgetException(bytes, false);
        });
        assertThat(never.code()).isEqualTo(413);
        assertThat(Json.text(Json.read(list("application/json, application/yaml", taken::add).body()), "kind"))
                .isEqualTo("ConfigMapList");
        ApiResponse.Content later = list("application/vnd.kubernetes.protobuf", bytes -> {
            throw new OutOfBudgetException(bytes, true);
        });
        assertThat(later.code()).isEqualTo(429);
        assertThat(later.retryAfter()).isEqualTo(1);
    }

    @Test
    void aListInProtobufSaysWhatTheOneInJsonSays() throws Exception {
        JsonNode json = Json.read(written(list("application/json", taken::add)));
        byte[] protobuf = written(list("application/vnd.kubernetes.protobuf", taken::add));
        assertThat(Arrays.equals(protobuf, ProtobufWriter.write((ObjectNode) json))).isTrue();
    }

    @Test
    void tablesAndMetadataOfAListAreThoseOfItsObjects() throws Exception {
        JsonNode table = Json.read(written(list("application/json;as=Table;g=meta.k8s.io;v=v1", taken::add)));
        assertThat(table.path("columnDefinitions").size()).isPositive();
        assertThat(table.path("rows").size()).isEqualTo(4);
        assertThat(table.path("rows").path(2).path("cells").path(0).stringValue()).isEqualTo("c2");
        assertThat(table.path("metadata").path("resourceVersion").stringValue()).isNotEmpty();
        JsonNode metadata = Json.read(written(
                list("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", taken::add)));
        assertThat(metadata.path("kind").stringValue()).isEqualTo("PartialObjectMetadataList");
        assertThat(metadata.path("items").path(1).path("metadata").path("labels").path("n").stringValue())
                .isEqualTo("1");
        assertThat(metadata.path("items").path(1).has("data")).isFalse();
    }
}
