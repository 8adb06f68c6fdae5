package dev.wheelhouse.apiserver.kinds;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Config maps (upstream: {@code pkg/registry/core/configmap}). */
final class ConfigMapStrategy extends Strategy {
    ConfigMapStrategy() {
        super("", "ConfigMap");
    }

    @Override
    protected void validate(ObjectNode map, Problems problems) {
        long size = 0;
        for (Map.Entry<String, JsonNode> entry : map.path("data").properties()) {
            String at = Problems.key("data", entry.getKey());
            problems.invalid(at, entry.getKey(), Formats.configKey(entry.getKey()));
            if (map.path("binaryData").has(entry.getKey())) {
                problems.invalid(at, entry.getKey(), "duplicate of key present in binaryData");
            }
            size += entry.getValue().asString("").getBytes(StandardCharsets.UTF_8).length;
        }
        for (Map.Entry<String, JsonNode> entry : map.path("binaryData").properties()) {
            problems.invalid(Problems.key("binaryData", entry.getKey()), entry.getKey(),
                    Formats.configKey(entry.getKey()));
            size += KeyedData.decodedLength(entry.getValue());
        }
        if (size > KeyedData.MAX_BYTES) {
            problems.tooLong("", KeyedData.MAX_BYTES);
        }
    }

    @Override
    protected void validateUpdate(ObjectNode map, ObjectNode old, Problems problems) {
        KeyedData.immutableStays(map, old, List.of("data", "binaryData"), problems);
        validate(map, problems);
    }
}
