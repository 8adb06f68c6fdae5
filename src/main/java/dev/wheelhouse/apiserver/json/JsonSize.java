package dev.wheelhouse.apiserver.json;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Estimates the size of values in bytes of JSON, without escapes, before other work is done on them. The count stops at
 * the limit, so it never costs more than the limit allows, even if one node occurs many times in a value. For one
 * thread.
 */
public final class JsonSize {
    /** Deeper values count as too large, because recursion over them would overflow the stack. */
    private static final int MAX_DEPTH = 1_000;

    private final long limit;
    private long bytes;

    /** @param limit in bytes */
    public JsonSize(long limit) {
        this.limit = limit;
    }

    /** Adds a value. False if the limit is exceeded. */
    public boolean add(JsonNode value) {
        return add(value, 0);
    }

    /** The bytes counted so far. After the limit was exceeded, a lower bound of the size. */
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
