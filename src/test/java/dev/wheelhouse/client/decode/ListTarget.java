package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Utf8;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The answer to a list: read to its end or refused by an IOException, and the same page wherever the network cuts it.
 */
public final class ListTarget implements FuzzTarget {
    private final DecoderMemory memory = new DecoderMemory();
    private final ObjectDecoder<V1Pod> pods = ObjectDecoder.of(new ResourceType("", "v1", "pods", "Pod", true),
            V1Pod.class, memory);
    private final ObjectDecoder<V1ConfigMap> maps = ObjectDecoder.of(
            new ResourceType("", "v1", "configmaps", "ConfigMap", true), V1ConfigMap.class, memory);
    private final ObjectDecoder<V1CustomResourceDefinition> definitions = ObjectDecoder.of(
            new ResourceType("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                    false),
            V1CustomResourceDefinition.class, memory);

    @Override
    public void run(byte[] input) {
        String head = new String(input, 0, Math.min(input.length, 100), StandardCharsets.ISO_8859_1);
        if (head.contains("Definition")) {
            compare(definitions, input);
        } else if (head.contains("Config")) {
            compare(maps, input);
        } else {
            compare(pods, input);
        }
    }

    private <T extends KubernetesObject> void compare(ObjectDecoder<T> decoder, byte[] input) {
        String plain = read(decoder, input, false);
        String cached = read(decoder.forCaches(), input, false);
        String chunked = read(decoder.forCaches(), input, true);
        assertThat(chunked).as("a list in pieces").isEqualTo(cached);
        if (Utf8.isValid(input) && !plain.startsWith("refused") && !plain.contains("skipped")) {
            assertThat(cached).as("a list for a cache").isEqualTo(plain);
        }
    }

    private <T extends KubernetesObject> String read(ObjectDecoder<T> decoder, byte[] input, boolean inPieces) {
        ListPage<T> page;
        try {
            page = decoder.readList(inPieces
                    ? new Chunks(input, Arrays.hashCode(input))
                    : new ByteArrayInputStream(input), false);
        } catch (IOException e) {
            return "refused";
        }
        List<JsonNode> items = page.items().stream().map(item -> (JsonNode) ModelJson.tree(item)).toList();
        return page.resourceVersion() + " " + page.continueToken() + " " + items
                + (page.skipped().isEmpty() ? "" : " skipped " + page.skipped().size());
    }
}
