package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

/** Decoders learn into a memory, and share it. */
class DecoderMemoryTest {
    private static final ResourceType PODS = new ResourceType("", "v1", "pods", "Pod", true);

    private static List<V1Pod> read(DecoderMemory memory, String... names) throws IOException {
        StringBuilder list = new StringBuilder(
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");
        for (String name : names) {
            list.append(list.charAt(list.length() - 1) == '[' ? "" : ",").append("{\"metadata\":{\"name\":\"")
                    .append(name).append("\",\"labels\":{\"app\":\"web\",\"tier\":\"front\"}}}");
        }
        return ObjectDecoder.of(PODS, V1Pod.class, memory).forCaches()
                .readList(new ByteArrayInputStream((list + "]}").getBytes(StandardCharsets.UTF_8)), false).items();
    }

    @Test
    void decodersOfOneMemoryShareEqualPartsAndDecodersOfTwoMemoriesDoNot() throws IOException {
        DecoderMemory memory = new DecoderMemory();
        V1Pod first = read(memory, "a", "b", "c").getLast();
        V1Pod second = read(memory, "d").getFirst();
        assertThat(second.getMetadata().getLabels()).isSameAs(first.getMetadata().getLabels());
        V1Pod other = read(new DecoderMemory(), "a", "b", "c").getLast();
        assertThat(other.getMetadata().getLabels()).isEqualTo(first.getMetadata().getLabels())
                .isNotSameAs(first.getMetadata().getLabels());
    }

    @Test
    void objectsOfTheirReadersOwnAreNotInterned() throws IOException {
        DecoderMemory memory = new DecoderMemory();
        byte[] pod = "{\"metadata\":{\"name\":\"a\",\"labels\":{\"app\":\"web\"}}}".getBytes(StandardCharsets.UTF_8);
        ObjectDecoder<V1Pod> decoder = ObjectDecoder.of(PODS, V1Pod.class, memory);
        for (int i = 0; i < 3; i++) {
            decoder.readAnswer("get a", pod).getMetadata().getLabels().put("changed", "by its owner");
        }
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void anObjectWithoutItsLastAppliedConfigurationIsACopy() {
        V1ConfigMap[] read = new V1ConfigMap[8];
        for (boolean protobuf : new boolean[]{false, true}) {
            ObjectDecoder<V1ConfigMap> decoder = ObjectDecoder
                    .of(ResourceType.CONFIG_MAPS, V1ConfigMap.class, new DecoderMemory()).forCaches();
            V1ConfigMap applied = new V1ConfigMap().apiVersion("v1").kind("ConfigMap")
                    .metadata(new V1ObjectMeta().name("a").putAnnotationsItem(LastApplied.ANNOTATION, "{}"));
            byte[] bytes = protobuf ? decoder.write(applied) : ModelJson.writeBytes(applied);
            for (int i = 0; i < read.length; i++) {
                read[i] = decoder.readAnswer("get a", bytes);
            }
            V1ConfigMap shared = read[4];
            read[4] = LastApplied.leaveOut(shared);
            assertThat(shared.getMetadata().getAnnotations()).containsEntry(LastApplied.ANNOTATION, "{}");
            assertThat(read).extracting(object -> object.getMetadata().getAnnotations().get(LastApplied.ANNOTATION))
                    .containsExactly("{}", "{}", "{}", "{}", "", "{}", "{}", "{}");
        }
    }

    @Test
    void whatPredictionsHoldCountsAsMemoryToo() {
        DecoderMemory memory = new DecoderMemory();
        byte[] json = ("{\"metadata\":{\"name\":\"n\",\"labels\":{\"app\":\"a-long-template\"}},"
                + "\"spec\":{\"nodeName\":\"node\"}}").getBytes(StandardCharsets.UTF_8);
        long[] bytes = new long[4];
        for (int i = 0; i < bytes.length; i++) {
            memory.shape(V1Pod.class).read(new JsonCursor(json, 0, json.length), 0);
            bytes[i] = memory.bytes();
        }
        assertThat(bytes[0]).as("values that came once are not kept").isZero();
        assertThat(bytes[1]).isPositive();
        assertThat(bytes[2]).as("the third object is predicted from").isGreaterThan(bytes[1]);
        assertThat(bytes[3]).isEqualTo(bytes[2]);
    }
}
