package dev.wheelhouse.client.http;

import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * The fields of a server's object that its model does not have, because the server is newer, or the class of a custom
 * resource has only some fields. An update sends them as they are. Elements of lists are found again by the keys of the
 * list, or if they have not changed; a changed element of a list without keys loses them.
 */
final class UnknownFields {
    private UnknownFields() {}

    /**
     * The update with the unknown fields.
     *
     * @param sent the update as JSON
     * @param live the server's object as JSON
     * @param known what the model has of the server's object
     */
    static byte[] keep(byte[] sent, byte[] live, KubernetesObject known) {
        ObjectNode object = (ObjectNode) tree(sent);
        JsonNode raw = tree(live);
        if (raw.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        add(object, raw, tree(ModelJson.writeBytes(known)), Schemas.ofKind(raw.path("apiVersion").asString(""),
                raw.path("kind").asString("")));
        return ModelJson.writeBytes(object);
    }

    private static JsonNode tree(byte[] json) {
        return ModelJson.tree(json, 0, json.length);
    }

    private static void add(ObjectNode sent, JsonNode raw, JsonNode known, @Nullable TypeSchema type) {
        raw.properties().forEach(entry -> {
            String name = entry.getKey();
            JsonNode value = entry.getValue();
            JsonNode read = known.get(name);
            JsonNode ours = sent.get(name);
            TypeSchema.Field field = type == null ? null : type.field(name);
            TypeSchema inner = field == null ? null : field.type();
            if (read == null && ours == null && !value.isNull() && !(value.isArray() && value.isEmpty())) {
                sent.set(name, value);
            } else if (read != null && ours instanceof ObjectNode object) {
                add(object, value, read, inner);
            } else if (read != null && ours instanceof ArrayNode list) {
                List<String> keys = field == null ? List.of() : field.listMapKeys();
                for (int i = 0; i < list.size(); i++) {
                    int at = place(list.get(i), i, read, keys);
                    if (at >= 0 && list.get(i) instanceof ObjectNode object) {
                        add(object, value.path(at), read.path(at), inner);
                    }
                }
            }
        });
    }

    /**
     * The index of the element that is the same or has the same keys; -1 if there is none.
     *
     * @param first the index to look at first
     */
    private static int place(JsonNode element, int first, JsonNode list, List<String> keys) {
        return IntStream.concat(IntStream.of(first), IntStream.range(0, list.size()))
                .filter(i -> keys.isEmpty()
                        ? element.equals(list.path(i))
                        : keys.stream().allMatch(key -> element.path(key).equals(list.path(i).path(key))))
                .findFirst().orElse(-1);
    }
}
