package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.fuzz.FuzzTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Protobuf from an API server, as an object, a list and a watch: read or refused by the documented errors, and the same
 * wherever the network cuts it. Objects of caches are equal to others, and to themselves when written and read again.
 */
public final class WireTarget implements FuzzTarget {
    private static final ResourceType DEFINITIONS = new ResourceType("apiextensions.k8s.io", "v1",
            "customresourcedefinitions", "CustomResourceDefinition", false);

    private final DecoderMemory memory = new DecoderMemory();

    @Override
    public void run(byte[] input) throws IOException {
        String head = new String(input, 0, Math.min(input.length, 100), StandardCharsets.ISO_8859_1);
        if (head.contains("Definition")) {
            compare(ObjectDecoder.of(DEFINITIONS, V1CustomResourceDefinition.class, memory), input);
        } else if (head.contains("Config")) {
            compare(ObjectDecoder.of(ResourceType.CONFIG_MAPS, V1ConfigMap.class, memory), input);
        } else {
            compare(ObjectDecoder.of(ResourceType.PODS, V1Pod.class, memory), input);
        }
    }

    private static <T extends KubernetesObject> void compare(ObjectDecoder<T> decoder, byte[] input)
            throws IOException {
        ObjectDecoder<T> cached = decoder.forCaches();
        String list = list(decoder, new ByteArrayInputStream(input));
        assertThat(list(cached, new ByteArrayInputStream(input))).as("a list for a cache").isEqualTo(list);
        assertThat(list(cached, new Chunks(input, Arrays.hashCode(input)))).as("a list in pieces").isEqualTo(list);
        List<String> events = watch(decoder, new ByteArrayInputStream(input));
        assertThat(watch(cached, new Chunks(input, Arrays.hashCode(input)))).as("a watch in pieces").isEqualTo(events);
        if (WireEnvelope.begins(input, 0, input.length)) {
            assertThat(answer(cached, input)).as("an object for a cache").isEqualTo(answer(decoder, input));
        }
    }

    private static <T extends KubernetesObject> String answer(ObjectDecoder<T> decoder, byte[] input) {
        T object;
        try {
            object = decoder.readAnswer("get", input);
        } catch (KubeApiException e) {
            return "refused";
        }
        String read = ModelJson.write(object);
        assertThat(ModelJson.write(decoder.readAnswer("get", decoder.write(object)))).as("written and read again")
                .isEqualTo(read);
        return read;
    }

    private static <T extends KubernetesObject> String list(ObjectDecoder<T> decoder, InputStream in) {
        ListPage<T> page;
        try {
            page = decoder.readList(in, true);
        } catch (IOException e) {
            return "refused";
        }
        return page.resourceVersion() + " " + page.continueToken() + " " + ModelJson.write(page.items()) + " skipped "
                + page.skipped();
    }

    private static <T extends KubernetesObject> List<String> watch(ObjectDecoder<T> decoder, InputStream in) {
        Map<ObjectKey, T> cache = new HashMap<>();
        WatchReader<T> reader = decoder.readWatch("test", in, true, () -> {}, cache::get);
        List<String> events = new ArrayList<>();
        try {
            for (WatchEvent<T> event = reader.next(); event != null; event = reader.next()) {
                events.add(switch (event) {
                    case WatchEvent.Added<T> added -> {
                        cache.put(ObjectKey.of(added.object()), added.object());
                        yield "added " + ModelJson.write(added.object());
                    }
                    case WatchEvent.Modified<T> modified -> {
                        cache.put(ObjectKey.of(modified.object()), modified.object());
                        yield "modified " + ModelJson.write(modified.object());
                    }
                    case WatchEvent.Deleted<T> deleted -> "deleted " + ModelJson.write(deleted.object());
                    default -> event.toString();
                });
            }
        } catch (IOException e) {
            events.add("refused");
        }
        return events;
    }
}
