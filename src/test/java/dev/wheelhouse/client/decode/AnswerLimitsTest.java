package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import tools.jackson.core.exc.StreamConstraintsException;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AnswerLimitsTest {
    private static ListPage<V1ConfigMap> list(int nameless) throws IOException {
        String json = "{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":["
                + "{},".repeat(nameless - 1) + "{}]}";
        return ObjectDecoder.of(ResourceType.CONFIG_MAPS, V1ConfigMap.class, new DecoderMemory()).forCaches()
                .readList(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), false);
    }

    @Test
    void aListOfGarbageIsRefusedBeforeItsFailuresFillTheHeap() throws IOException {
        assertThat(list(10_000).skipped()).hasSize(10_000);
        assertThatThrownBy(() -> list(10_001)).isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "the answer has more than 10000 objects that cannot be decoded; the first one: ")
                .hasMessageContaining("configmaps");
    }

    @Test
    void anAnswerOfMillionsOfTinyValuesIsRefusedBeforeItsTreeFillsTheHeap() {
        int tokens = (int) (Runtime.getRuntime().maxMemory() / 256);
        byte[] json = ("[" + "[],".repeat(tokens / 2) + "0]").getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> ModelJson.tree(json, 0, json.length)).isInstanceOf(StreamConstraintsException.class)
                .hasMessageContaining(String.valueOf(tokens));
    }

    @Test
    void theMessageOfAServerIsCut() {
        KubeApiException error = new KubeApiException("list pods", 500, "", "x".repeat(1_000_000), null);
        assertThat(error.statusMessage()).hasSizeLessThan(70_000);
        assertThat(error.getMessage()).hasSizeLessThan(70_000).startsWith("list pods: 500 xxx");
    }
}
