package dev.wheelhouse.apiserver.rest;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** No request creates an object or an answer above the size limit, and refusing one takes little time. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ObjectBoundsTest {
    private static final String MAPS = RestClient.NS + "configmaps";
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String THINGS = "/apis/example.com/v1/namespaces/default/things";
    private static final String TOO_LARGE = "etcdserver: request is too large: ";

    private final RestClient server = new RestClient();

    private void assertTooLarge(JsonNode answer) {
        assertThat(server.last.code()).isEqualTo(500);
        assertThat(answer.get("message").stringValue()).startsWith(TOO_LARGE)
                .endsWith("1572864 are stored of one object: make it smaller, or split it into several");
    }

    private static ObjectNode configMap(String name, int size) {
        ObjectNode map = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
        map.putObject("metadata").put("name", name);
        map.putObject("data").put("a", "x".repeat(size));
        return map;
    }

    private static ObjectNode pod(int annotation) {
        ObjectNode pod = (ObjectNode) Json.read("""
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "annotations": {}},
                 "spec": {"containers": [{"name": "c", "image": "i"}]}}""");
        pod.get("metadata").get("annotations").asObject().put("a", "x".repeat(annotation));
        return pod;
    }

    /** A custom resource with a scale and fields of any size. */
    private void defineThings(String properties) {
        server.post(CRDS, """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "things.example.com"},
                 "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
                  "versions": [{"name": "v1", "served": true, "storage": true,
                   "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas"}},
                   "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "spec": {"type": "object", "properties": {%s "replicas": {"type": "integer"}}}}}}}]}}"""
                .formatted(properties));
        assertThat(server.last.code()).as(new String(server.last.body())).isEqualTo(201);
    }

    private JsonNode thing(String spec) {
        return server.post(THINGS, """
                {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": %s}"""
                .formatted(spec));
    }

    @Test
    void anObjectThatIsTooLargeIsNotCreatedNorWrittenInAnyOtherWay() {
        defineThings("\"a\": {\"type\": \"string\"},");
        String large = "x".repeat(1_600_000);
        assertTooLarge(thing("{\"a\": \"" + large + "\"}"));
        assertThat(server.get(THINGS + "/t").get("code").intValue()).isEqualTo(404);
        thing("{\"replicas\": 1}");
        ObjectNode thing = (ObjectNode) server.get(THINGS + "/t");
        thing.withObject("spec").put("a", large);

        assertTooLarge(server.put(THINGS + "/t", thing.toString()));
        assertTooLarge(server.merge(THINGS + "/t", "{\"spec\": {\"a\": \"" + large + "\"}}"));
        assertTooLarge(server.call("PATCH", THINGS + "/t", "application/json-patch+json",
                "[{\"op\": \"add\", \"path\": \"/spec/a\", \"value\": \"" + large + "\"}]"));
        assertTooLarge(server.apply(THINGS + "/t?fieldManager=m", """
                {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": "%s"}}"""
                .formatted(large)));
        assertTooLarge(server.apply(THINGS + "/new?fieldManager=m", """
                {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "new"}, "spec": {"a": "%s"}}"""
                .formatted(large)));
        assertTooLarge(server.merge(THINGS + "/t/status", "{\"status\": {\"a\": \"" + large + "\"}}"));
        assertThat(server.get(THINGS + "/t").get("spec")).isEqualTo(Json.read("{\"replicas\": 1}"));
    }

    @Test
    void anObjectDoesNotGrowBySmallPatches() {
        String more = "x".repeat(400_000);
        defineThings("\"x\": {\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true},");
        thing("{}");
        for (int i = 0; i < 3; i++) {
            server.merge(THINGS + "/t", "{\"spec\": {\"x\": {\"k" + i + "\": \"" + more + "\"}}}");
            assertThat(server.last.code()).isEqualTo(200);
        }
        assertTooLarge(server.merge(THINGS + "/t", "{\"spec\": {\"x\": {\"k3\": \"" + more + "\"}}}"));
    }

    @Test
    void escapesDoNotCount() {
        ObjectNode map = configMap("m", 0);
        map.get("data").asObject().put("a", "\n\"".repeat(500_000));
        server.post(MAPS, map.toString());
        assertThat(server.last.code()).isEqualTo(201);
    }

    @Test
    void anObjectThatIsTooLargeByItsManagedFieldsAloneIsStoredWithoutThem() {
        ObjectNode map = configMap("m", 0);
        for (int i = 0; i < 20_000; i++) {
            map.get("data").asObject().put("k".repeat(30) + i, "");
        }
        JsonNode made = server.post(MAPS, map.toString());
        assertThat(server.last.code()).isEqualTo(201);
        assertThat(made.get("metadata").has("managedFields")).isFalse();
    }

    @Test
    void aMillionEmptyContainersAreRefusedBeforeTheyGetTheirDefaults() {
        assertTooLarge(server.post(RestClient.NS + "pods", """
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [%s{}]}}"""
                .formatted("{},".repeat(400_000))));
    }

    @Test
    void theDefaultsOfASchemaMakeNoObjectTooLarge() {
        defineThings("""
                "l": {"type": "array", "items": {"type": "object", "properties": {
                 "a": {"type": "string", "default": "%s"}}}},""".formatted("x".repeat(1_000)));
        assertTooLarge(thing("{\"l\": [" + "{},".repeat(2_000) + "{}]}"));
    }

    @Test
    void twentyThousandUnknownFieldsAreStoredWithoutAndWarnedOfInOneShortHeader() {
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            fields.append("\"unknown").append(i).append("\": 1, ");
        }
        String map = "{" + fields + "\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"m\"}}";

        assertThat(server.post(MAPS, map).get("metadata").get("name").stringValue()).isEqualTo("m");
        assertThat(server.last.code()).isEqualTo(201);
        assertThat(String.join("", server.last.warnings())).contains("unknown field \"unknown0\"")
                .hasSizeBetween(4_096, 4_096 + 256);
        assertThat(server.post(MAPS + "?fieldValidation=Strict", map).get("message").stringValue())
                .contains("strict decoding error: unknown field \"unknown0\"").hasSizeLessThan(1_000_000);
    }

    @Test
    void fewWarningsStayWhole() {
        String unknown = "u".repeat(1_000);
        server.post(MAPS, configMap("m", 1).put(unknown, 1).toString());
        assertThat(server.last.warnings()).containsExactly("unknown field \"" + unknown + "\"");
    }

    /** Each problem would show all of the object's 8,000 owners. */
    @Test
    void anAnswerNamesNoMoreProblemsThanSomebodyMayRead() {
        ObjectNode map = configMap("m", 1);
        ArrayNode owners = map.get("metadata").asObject().putArray("ownerReferences");
        for (int i = 0; i < 8_000; i++) {
            owners.addObject().put("apiVersion", "v1").put("kind", "Pod").put("name", "p" + i).put("uid", "u" + i)
                    .put("controller", true);
        }
        server.post(MAPS, map.toString());
        assertThat(server.last.code()).isEqualTo(422);
        assertThat(server.last.body()).hasSizeLessThan(8_000_000);
    }

    @Test
    void aNumberOfABillionDigitsIsRefusedOrReadAsZero() {
        defineThings("\"n\": {\"type\": \"number\", \"multipleOf\": 0.5},");
        thing("{\"n\": 1e999999999}");
        assertThat(server.last.code()).isEqualTo(400);
        thing("{\"n\": -1e-999999999}");
        assertThat(server.last.code()).isIn(201, 422);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"1e999999999\"", "\"1e-999999999\"", "1e999", "\"#\"", "#"})
    void aQuantityOfAnyLengthIsReadOrRefusedAtOnce(String quantity) {
        String text = quantity.replace("#", "9".repeat(900_000));
        ObjectNode pod = pod(1);
        server.post(RestClient.NS + "pods", pod.toString().replace("\"image\":\"i\"",
                "\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":" + text + "}}"));
        assertThat(server.last.code()).isIn(201, 400, 422);
    }

    @Test
    void aPatternOfASchemaTakesTimeInProportionToTheText() {
        defineThings("\"a\": {\"type\": \"string\", \"pattern\": \"a*a*a*b\"},");
        assertThat(thing("{\"a\": \"" + "a".repeat(100_000) + "\"}").get("message").stringValue())
                .contains("should match 'a*a*a*b'");
    }

    @Test
    void elementsOfASetAreComparedInLinearWorkEvenIfTheirHashesAreEqual() {
        defineThings("""
                "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},""");
        StringBuilder set = new StringBuilder("[");
        for (int i = 0; i < 1 << 16; i++) {
            set.append(i == 0 ? "\"" : ",\"");
            for (int bit = 0; bit < 16; bit++) {
                set.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            set.append('"');
        }
        thing("{\"s\": " + set.append("]") + "}");
        // The managed fields repeat the elements, so the server drops them.
        assertThat(server.last.code()).as(new String(server.last.body(), 0, 200)).isIn(201, 500);
    }

    @Test
    void aLongNameAboveManyValuesIsNotRepeatedForEach() {
        defineThings("""
                "m": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},""");
        thing("{\"m\": {\"" + "k".repeat(49_000) + "\": [" + "1,".repeat(200_000) + "1]}}");
        assertThat(server.last.code()).isEqualTo(201);
    }

    @Test
    void anObjectThatPatchesNestTooDeeplyIsRefused() {
        defineThings("\"x\": {\"type\": \"object\", \"x-kubernetes-preserve-unknown-fields\": true},");
        thing("{\"x\": {\"a\": {}}}");
        String path = "/a".repeat(190);
        server.merge(THINGS + "/t", "{\"spec\": {\"x\": " + "{\"a\":".repeat(190) + "{}" + "}".repeat(190) + "}}");
        assertThat(server.last.code()).isEqualTo(200);
        server.call("PATCH", THINGS + "/t", "application/json-patch+json",
                "[{\"op\": \"copy\", \"from\": \"/spec/x/a\", \"path\": \"/spec/x" + path + "\"}]");
        assertThat(server.last.code()).isEqualTo(400);
    }
}
