package dev.wheelhouse.client.decode;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;
import dev.wheelhouse.fuzz.Utf8;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A watch of pods, config maps or definitions, by the kind that its bytes name first. Wherever the network cuts it, it
 * is the same events; an object for a cache is the one that the full parser reads, and that the official client reads
 * where it reads it; and an object that is written is read again as it was.
 */
public final class WatchTarget implements FuzzTarget {
    private final List<Decoders<?>> kinds = List.of(
            new Decoders<>(new ResourceType("", "v1", "pods", "Pod", true), V1Pod.class),
            new Decoders<>(new ResourceType("", "v1", "configmaps", "ConfigMap", true), V1ConfigMap.class),
            new Decoders<>(new ResourceType("apiextensions.k8s.io", "v1", "customresourcedefinitions",
                    "CustomResourceDefinition", false), V1CustomResourceDefinition.class));

    /** The decoders of one kind. */
    private record Decoders<T extends KubernetesObject>(ResourceType type, Class<T> model, ObjectDecoder<T> plain,
            ObjectDecoder<T> cached) {
        Decoders(ResourceType type, Class<T> model) {
            this(type, model, ObjectDecoder.of(type, model, new DecoderMemory()),
                    ObjectDecoder.of(type, model, new DecoderMemory()).forCaches());
        }

        void watch(byte[] input) throws IOException {
            List<WatchEvent<T>> plainly = events(new ByteArrayInputStream(input), plain);
            List<WatchEvent<T>> forCache = events(new ByteArrayInputStream(input), cached);
            List<WatchEvent<T>> chunked = events(new Chunks(input, Arrays.hashCode(input)), cached);
            assertThat(shown(chunked)).as("the events of a stream in pieces").isEqualTo(shown(forCache));
            // Unknown fields are skipped without a look at their syntax, so a cache may take what is no JSON there.
            assertThat(shown(forCache)).as("how many events").hasSameSizeAs(plainly);
            for (int i = 0; i < plainly.size(); i++) {
                if (Utf8.isValid(input) && !(plainly.get(i) instanceof WatchEvent.Undecodable)) {
                    assertThat(shown(forCache).get(i)).as("an event for a cache").isEqualTo(shown(plainly).get(i));
                }
            }
            // Jackson writes a key that has half of a surrogate pair, but does not read it.
            boolean halves = new String(input, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT).contains("\\ud");
            for (WatchEvent<T> event : forCache) {
                T object = object(event);
                if (object != null && !halves) {
                    byte[] written = ModelJson.writeBytes(object);
                    assertThat(tree(ModelJson.read(written, model))).as("written and read again")
                            .isEqualTo(tree(object));
                }
            }
            for (String line : new String(input, StandardCharsets.UTF_8).split("\n")) {
                compareWithOfficial(line);
            }
        }

        private void compareWithOfficial(String line) throws IOException {
            List<WatchEvent<T>> events = events(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)),
                    cached);
            T ours = events.isEmpty() ? null : object(events.getFirst());
            if (ours == null) {
                return;
            }
            T theirs;
            try {
                theirs = JSON.getGson().fromJson(com.google.gson.JsonParser.parseString(line).getAsJsonObject()
                        .get("object"), model);
            } catch (RuntimeException | StackOverflowError e) {
                return;
            }
            // A decoder for one kind completes an object without apiVersion or kind.
            if (theirs.getApiVersion() == null || theirs.getKind() == null) {
                return;
            }
            // It reads whole numbers of unknown types as floating ones.
            assertThat(Trees.withFloatingNumbers(tree(ours))).as("beside the official client's")
                    .isEqualTo(Trees.withFloatingNumbers(tree(theirs)));
        }

        private static JsonNode tree(Object object) {
            JsonNode tree = ModelJson.tree(object);
            if (tree.path("metadata") instanceof ObjectNode metadata) {
                metadata.remove("managedFields");
            }
            return tree;
        }

        private @Nullable T object(WatchEvent<T> event) {
            return switch (event) {
                case WatchEvent.Added<T> added -> added.object();
                case WatchEvent.Modified<T> modified -> modified.object();
                case WatchEvent.Deleted<T> deleted -> deleted.object();
                default -> null;
            };
        }

        private List<String> shown(List<WatchEvent<T>> events) {
            return events.stream().map(event -> {
                T object = object(event);
                return object != null
                        ? event.getClass().getSimpleName() + " " + tree(object)
                        : event instanceof WatchEvent.Undecodable ? "undecodable" : event.toString();
            }).toList();
        }

        private static <T extends KubernetesObject> List<WatchEvent<T>> events(InputStream in,
                ObjectDecoder<T> objects) throws IOException {
            WatchReader<T> reader = objects.readWatch("test", in, false, () -> {}, key -> null);
            List<WatchEvent<T>> events = new ArrayList<>();
            for (WatchEvent<T> event = reader.next(); event != null; event = reader.next()) {
                events.add(event);
            }
            return events;
        }
    }

    @Override
    public void run(byte[] bytes) throws IOException {
        // A last line without its end counts only if it decodes.
        byte[] input = Arrays.copyOf(bytes, bytes.length + 1);
        input[bytes.length] = '\n';
        String head = new String(input, 0, Math.min(input.length, 200), StandardCharsets.ISO_8859_1);
        Decoders<?> kind = kinds.stream().filter(k -> head.contains('"' + k.type().kind() + '"')).findFirst()
                .orElse(kinds.getFirst());
        kind.watch(input);
    }
}
