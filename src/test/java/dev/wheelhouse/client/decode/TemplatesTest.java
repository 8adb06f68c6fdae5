package dev.wheelhouse.client.decode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Objects of few templates, as caches hold them: what is guessed from the ones before is the object's own all the same.
 */
class TemplatesTest {
    private final Random random = new Random(7);
    private final DecoderMemory memory = new DecoderMemory(1L << 20);

    private Object read(byte[] json, Class<?> type) {
        JsonCursor in = new JsonCursor(json, 0, json.length);
        Object read = memory.shape(type).read(in, 0);
        assertThat(in.isAtEnd()).isTrue();
        return read;
    }

    private static String text(byte[] json, Class<?> type) {
        return ModelJson.write(ModelJson.reader(type).readValue(json, 0, json.length));
    }

    private static ObjectNode template(int number) {
        return (ObjectNode) ModelJson.tree(ModelJson
                .read("""
                        {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","labels":{"app":"template-%1$d",\
                        "tier":"front"},\
                        "annotations":{"a":"1","b":"22"},"ownerReferences":[{"apiVersion":"apps/v1",\
                        "kind":"ReplicaSet","name":"rs-%1$d",\
                        "uid":"u-%1$d","controller":true}],"creationTimestamp":"2026-11-21T08:00:0%1$dZ"},\
                        "spec":{"containers":[\
                        {"name":"a","image":"image-%1$d","args":["x","xy","xyz"],"env":[{"name":"A","value":"1"},\
                        {"name":"AA","value":"1"}],\
                        "resources":{"limits":{"cpu":"1","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":80,\
                        "path":"/"}}},\
                        {"name":"b","image":"image-%1$d","livenessProbe":{"httpGet":{"port":"http","path":"/%1$d"}}}],\
                        "nodeName":"node","tolerations":[{"key":"k","operator":"Exists"}]},"status":{"phase":"Running",\
                        "podIP":"10.0.0.%1$d",\
                        "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-21T08:00:00Z"}]}}"""
                        .formatted(number), V1Pod.class));
    }

    /**
     * Changes a few places: values that are other ones, longer or shorter, parts that go, repeat or change their order.
     */
    private void mutate(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List<String> names = new ArrayList<>(object.propertyNames());
            for (String name : names) {
                JsonNode value = object.get(name);
                if (random.nextInt(40) == 0 && !name.equals("kind")) {
                    object.remove(name);
                    if (random.nextBoolean()) {
                        object.set(name, value);
                    }
                } else if (value instanceof StringNode text && isFree(name) && random.nextInt(15) == 0) {
                    String old = text.stringValue();
                    object.put(name, random.nextBoolean() || old.isEmpty()
                            ? old + random.nextInt(3)
                            : old.substring(0, old.length() - 1));
                } else {
                    mutate(value);
                }
            }
        } else if (node instanceof ArrayNode array) {
            array.forEach(this::mutate);
            if (!array.isEmpty() && random.nextInt(20) == 0) {
                if (random.nextBoolean()) {
                    array.remove(random.nextInt(array.size()));
                } else {
                    array.add(array.get(random.nextInt(array.size())).deepCopy());
                }
            }
        }
    }

    private static boolean isFree(String name) {
        return !name.endsWith("Time") && !name.endsWith("Timestamp") && !name.equals("cpu") && !name.equals("memory");
    }

    @Test
    void whateverDiffersFromTheObjectsBeforeAnObjectIsReadAsItsBytesSay() {
        List<ObjectNode> templates = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            templates.add(template(i));
        }
        for (int i = 0; i < 1500; i++) {
            ObjectNode object = templates.get(random.nextInt(templates.size())).deepCopy();
            if (i % 3 > 0) {
                mutate(object);
            }
            byte[] json = ModelJson.writeBytes(object);
            assertThat(ModelJson.write(read(json, V1Pod.class))).as(object.toString())
                    .isEqualTo(text(json, V1Pod.class));
        }
    }

    @Test
    void aValueThatBeginsLikeTheExpectedOneIsNotTakenForIt() {
        for (String value : List.of("x", "xx", "x\\\"", "x", "", "x", "x y")) {
            for (String number : List.of("1", "10", "1", "123")) {
                byte[] json = ("{\"metadata\":{\"name\":\"a\",\"labels\":{\"of-the-template\":\"which-is-long\"}},"
                        + "\"spec\":"
                        + "{\"nodeName\":\"" + value + "\",\"priority\":" + number + ",\"containers\":[{\"name\":\""
                        + value + "\",\"livenessProbe\":{\"httpGet\":{\"port\":" + number + "}}}]}}")
                        .getBytes(StandardCharsets.UTF_8);
                for (int i = 0; i < 3; i++) {
                    assertThat(ModelJson.write(read(json, V1Pod.class))).isEqualTo(text(json, V1Pod.class));
                }
            }
        }
    }

    @Test
    void whenTheBytesAreUsedUpEverythingIsLearntAnewAndReadAsBefore() {
        String filler = "f".repeat(1800);
        for (int i = 0; i < 2_000; i++) {
            byte[] json = ("{\"metadata\":{\"name\":\"n\"},\"data\":{\"k\":\"" + filler + i + "\"}}")
                    .getBytes(StandardCharsets.UTF_8);
            for (int twice = 0; twice < 2; twice++) {
                V1ConfigMap map = (V1ConfigMap) read(json, V1ConfigMap.class);
                assertThat(map.getData().get("k")).hasSize(1800 + String.valueOf(i).length()).endsWith("f" + i);
            }
            assertThat(memory.bytes()).isLessThan((1L << 20) + 4096);
        }
    }

    @Test
    void equalTimesAndTextsOfOneObjectAreOne() {
        V1Pod pod = (V1Pod) read(
                ("{\"metadata\":{\"name\":\"a-long-enough-name\",\"creationTimestamp\":\"1999-12-31T23:59:58Z\"},"
                        + "\"status\":{\"startTime\":\"1999-12-31T23:59:58Z\",\"podIP\":\"10.11.12.13\","
                        + "\"podIPs\":[{\"ip\":\"10.11.12.13\"}]}}")
                        .getBytes(StandardCharsets.UTF_8),
                V1Pod.class);
        assertThat(pod.getStatus().getStartTime()).isSameAs(pod.getMetadata().getCreationTimestamp());
        assertThat(pod.getStatus().getStartTime()).hasToString("1999-12-31T23:59:58Z");
        assertThat(pod.getStatus().getPodIPs().get(0).getIp()).isSameAs(pod.getStatus().getPodIP());
    }

    @Test
    void aDayThatIsNoneIsLeftToTheFullParser() {
        for (String time : List.of("2026-02-30T08:00:00Z", "2026-13-01T08:00:00Z", "2026-11-21T25:00:00Z",
                "2026-11-21 08:00:00Z")) {
            byte[] json = ("{\"metadata\":{\"creationTimestamp\":\"" + time + "\"}}").getBytes(StandardCharsets.UTF_8);
            assertThat(catchIrregular(json)).as(time).isTrue();
        }
    }

    private boolean catchIrregular(byte[] json) {
        try {
            read(json, V1Pod.class);
            return false;
        } catch (JsonCursor.Irregular e) {
            return true;
        }
    }
}
