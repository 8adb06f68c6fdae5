package dev.wheelhouse.apiserver.patch;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.schema.TypeSchema;

/** The patch formats as functions from an object to the patched object. None changes its arguments. */
public final class Patches {
    private Patches() {}

    /** RFC 6902, with the leniencies of upstream's library. @throws PatchException if it cannot be applied */
    public static ObjectNode json(ObjectNode object, JsonNode patch) {
        throw new UnsupportedOperationException();
    }

    /** RFC 7386. @throws PatchException if the patch is no object */
    public static ObjectNode merge(ObjectNode object, JsonNode patch) {
        throw new UnsupportedOperationException();
    }

    /**
     * Strategic merge, with {@code $patch}, {@code $retainKeys}, {@code $setElementOrder} and {@code $deleteFromPrimitiveList}
     * (upstream: {@code apimachinery/pkg/util/strategicpatch}). @throws PatchException if it cannot be applied
     */
    public static ObjectNode strategicMerge(ObjectNode object, JsonNode patch, TypeSchema schema) {
        throw new UnsupportedOperationException();
    }

    /** A patch that cannot be applied: the status code to answer with, and why. */
    public static final class PatchException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int code;

        public PatchException(int code, String message) {
            super(message);
            this.code = code;
        }

        public int code() {
            return code;
        }
    }
}
