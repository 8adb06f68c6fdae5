package dev.wheelhouse.apiserver.patch;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.facts.TypeSchema;

/**
 * The patch formats of the API, as functions from an object to the patched object (upstream:
 * {@code apiserver/pkg/endpoints/handlers/patch.go}). They do not change their arguments, and results share no node
 * with them.
 */
public final class Patches {
    /** Upstream's message for every failed operation of a JSON patch; {@link PatchException#detail} has the reason. */
    static final String REJECTED = "the server rejected our request due to an error in our request";

    private Patches() {}

    /**
     * JSON Patch (RFC 6902), as lenient as upstream's library: {@code replace} adds a missing key, {@code test} of a
     * missing key for null succeeds, negative indices count from the end of an array.
     *
     * @throws PatchException 400 if the patch is not an array, 413 if it has too many operations, 422 if one cannot be
     *         applied
     */
    public static ObjectNode json(ObjectNode object, JsonNode patch) {
        return JsonPatch.apply(object, patch);
    }

    /**
     * JSON Merge Patch (RFC 7386).
     *
     * @throws PatchException 400 if the patch is not an object
     */
    public static ObjectNode merge(ObjectNode object, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            throw new PatchException(400, "Invalid JSON Patch",
                    "a merge patch must be a JSON object, this is " + FieldValidation.jsonType(patch));
        }
        ObjectNode result = object.deepCopy();
        mergeInto(result, changes);
        return result;
    }

    /**
     * Strategic merge patch, with {@code $patch}, {@code $retainKeys}, {@code $setElementOrder} and
     * {@code $deleteFromPrimitiveList} (upstream: {@code apimachinery/pkg/util/strategicpatch}). As upstream, new
     * elements of a merged list come before elements that the patch does not mention.
     *
     * @param schema the type of the object, which says how its lists merge
     * @throws PatchException 400, 413, 422 or 500, with upstream's message where upstream refuses the patch, too
     */
    public static ObjectNode strategicMerge(ObjectNode object, JsonNode patch, TypeSchema schema) {
        if (!(patch instanceof ObjectNode changes)) {
            throw new PatchException(400, "invalid JSON document",
                    "a strategic merge patch must be a JSON object, this is " + FieldValidation.jsonType(patch));
        }
        return StrategicMerge.apply(object, changes, schema);
    }

    /**
     * Merges an apply configuration of a mutating policy into an object. The owners of fields do not change (upstream:
     * {@code apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go}).
     *
     * @param custom the definition's type; null for a built-in kind
     * @throws PatchException 422 if the configuration does not fit the type, or sets an atomic list or object
     */
    public static ObjectNode configuration(ObjectNode object, ObjectNode config, @Nullable CustomType custom) {
        Structure structure = Structure.ofKind(Json.text(object, "apiVersion"), Json.text(object, "kind"), custom);
        String problem = AppliedConfig.problem(config, structure);
        if (problem != null) {
            throw new PatchException(422, "error applying patch: failed to convert patch object to typed object: "
                    + problem);
        }
        List<String> atomics = AppliedConfig.atomics(config, structure);
        if (!atomics.isEmpty()) {
            throw new PatchException(422, "error applying patch: invalid ApplyConfiguration: may not mutate atomic "
                    + "arrays, maps or structs: " + String.join(", ", atomics));
        }
        return (ObjectNode) AppliedConfig.merge(object, config, structure).deepCopy();
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

    /** A patch cannot be applied. The message is upstream's. */
    public static final class PatchException extends RuntimeException {
        /** Longer messages are cut, because they may show a whole patch. */
        private static final int MOST_CHARACTERS = 256 * 1024;

        private final int code;
        private final String detail;

        public PatchException(int code, String message) {
            this(code, message, message);
        }

        public PatchException(int code, String message, String detail) {
            super(message.length() <= MOST_CHARACTERS ? message : message.substring(0, MOST_CHARACTERS) + "...");
            this.code = code;
            this.detail = detail;
        }

        /** The HTTP status to answer with. */
        public int code() {
            return code;
        }

        /** Whether a {@code test} of a JSON patch found another value. */
        public boolean isFailedTest() {
            return detail.endsWith(JsonPatch.TEST_FAILED);
        }

        /** The exact reason. Equals the message unless upstream's message does not tell it. */
        public String detail() {
            return detail;
        }
    }
}
