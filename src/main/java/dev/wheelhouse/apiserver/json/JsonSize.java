package dev.wheelhouse.apiserver.json;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures values before work is done on them: about how many bytes their JSON has, escapes left out. The measuring ends with the limit, so
 * that it costs no more than the limit allows, however often a value contains itself or another one. For one thread.
 */
public final class JsonSize {
    /** A value that is nested deeper counts as too large, because no stack holds it. */
    private static final int MAX_DEPTH = 1_000;

    private final long limit;
    private long bytes;

    public JsonSize(long limit) {
        this.limit = limit;
    }

    /** Adds a value. @return false if the limit is exceeded */
    public boolean add(JsonNode value) {
        return add(value, 0);
    }

    /** At least the bytes that were added; past the limit no more than one value past it. */
    public long bytes() {
        return bytes;
    }

    private boolean add(JsonNode value, int depth) {
        if (depth > MAX_DEPTH) {
            return false;
        }
        if (value instanceof ObjectNode object) {
            bytes += 2;
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                bytes += field.getKey().length() + 4L;
                if (bytes > limit || !add(field.getValue(), depth + 1)) {
                    return false;
                }
            }
        } else if (value instanceof ArrayNode array) {
            bytes += 2;
            for (JsonNode element : array) {
                bytes++;
                if (!add(element, depth + 1)) {
                    return false;
                }
            }
        } else {
            bytes += value.isString() ? value.stringValue().length() + 2L : 4;
        }
        return bytes <= limit;
    }
}
