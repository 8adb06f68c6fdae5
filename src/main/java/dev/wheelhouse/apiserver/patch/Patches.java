package dev.wheelhouse.apiserver.patch;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.TypeSchema;

/**
 * The patch formats as functions from an object to the patched object. None changes its arguments, and the result shares no node with
 * them. Upstream: {@code apiserver/pkg/endpoints/handlers/patch.go}.
 */
public final class Patches {
    /** How upstream words every failure of a JSON patch's operations; the reason is in {@link PatchException#detail}. */
    static final String REJECTED = "the server rejected our request due to an error in our request";

    private Patches() {}

    /**
     * RFC 6902, with the leniencies of upstream's library: {@code replace} of a missing key adds it, {@code test} of a missing key for null
     * succeeds, negative array indices count from the end.
     *
     * @throws PatchException 400 if the patch is no array, 413 if it has too many operations, 422 if one cannot be applied
     */
    public static ObjectNode json(ObjectNode object, JsonNode patch) {
        return JsonPatch.apply(object, patch);
    }

    /**
     * RFC 7386.
     *
     * @throws PatchException 400 if the patch is no object
     */
    public static ObjectNode merge(ObjectNode object, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            throw new PatchException(400, "Invalid JSON Patch",
                    "a merge patch must be a JSON object, this is " + JsonPatch.kindOf(patch));
        }
        ObjectNode result = object.deepCopy();
        mergeInto(result, changes);
        return result;
    }

    /**
     * Strategic merge, with {@code $patch}, {@code $retainKeys}, {@code $setElementOrder} and {@code $deleteFromPrimitiveList}
     * (upstream: {@code apimachinery/pkg/util/strategicpatch}). New elements of a merged list come before those that the patch does not
     * mention, as upstream has it.
     *
     * @throws PatchException 400, 422 or 500 (a missing merge key, an unknown {@code $patch}) with upstream's words
     */
    public static ObjectNode strategicMerge(ObjectNode object, JsonNode patch, TypeSchema schema) {
        if (!(patch instanceof ObjectNode changes)) {
            throw new PatchException(400, "invalid JSON document",
                    "a strategic merge patch must be a JSON object, this is " + JsonPatch.kindOf(patch));
        }
        return StrategicMerge.apply(object, changes, schema);
    }

    private static void mergeInto(ObjectNode target, ObjectNode patch) {
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String key = change.getKey();
            JsonNode value = change.getValue();
            if (value.isNull()) {
                target.remove(key);
            } else if (value instanceof ObjectNode inner) {
                ObjectNode child = target.get(key) instanceof ObjectNode present ? present : target.putObject(key);
                mergeInto(child, inner);
            } else {
                target.set(key, value.deepCopy());
            }
        }
    }

    /** A patch that cannot be applied: the status code to answer with, upstream's message, and what exactly is wrong. */
    public static final class PatchException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int code;
        private final String detail;

        public PatchException(int code, String message) {
            this(code, message, message);
        }

        public PatchException(int code, String message, String detail) {
            super(message);
            this.code = code;
            this.detail = detail;
        }

        public int code() {
            return code;
        }

        /** What is wrong, where the message (upstream's) does not tell; else the message. */
        public String detail() {
            return detail;
        }
    }
}
