package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.LastApplied;
import dev.wheelhouse.runtime.YamlWriter;

/** An object as YAML for a person who reads it: of a Secret's values only the sizes are shown. */
final class YamlOf {
    private YamlOf() {}

    /** @return {@code yaml}, and apart from it {@code managed}, the managed fields */
    static Map<String, String> object(ResourceType type, JsonNode read) {
        JsonNode object = read.deepCopy();
        JsonNode managed = null;
        if (object.path("metadata") instanceof ObjectNode metadata) {
            managed = metadata.remove("managedFields");
            if (type.equals(ResourceType.SECRETS) && metadata.path("annotations") instanceof ObjectNode annotations) {
                // The configuration that was applied holds the values, too.
                annotations.remove(LastApplied.ANNOTATION);
            }
        }
        if (type.equals(ResourceType.SECRETS) && object.path("data") instanceof ObjectNode data) {
            for (String name : new ArrayList<>(data.propertyNames())) {
                data.put(name, Base64.getDecoder().decode(data.path(name).asString("")).length + " bytes");
            }
        }
        return Map.of("yaml", write(object), "managed", managed == null ? "" : write(managed));
    }

    private static String write(JsonNode node) {
        return YamlWriter.write(sorted(node));
    }

    /** Fields in the order of kubectl. */
    private static @Nullable Object sorted(JsonNode node) {
        if (node.isObject()) {
            Map<String, @Nullable Object> fields = new TreeMap<>();
            node.forEachEntry((name, value) -> fields.put(name, sorted(value)));
            return fields;
        }
        return node.isArray()
                ? node.valueStream().map(YamlOf::sorted).toList()
                : JsonMapper.shared().treeToValue(node, Object.class);
    }
}
