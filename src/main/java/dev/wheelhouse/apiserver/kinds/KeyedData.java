package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Rules that config maps and secrets share (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class KeyedData {
    /** The most bytes that all values of one object may have. */
    static final int MAX_BYTES = 1024 * 1024;
    private static final String WHEN_IMMUTABLE = "field is immutable when `immutable` is set";

    private KeyedData() {}

    /** Refuses a change of the fields, and the removal of the mark itself, if the old object is marked as immutable. */
    static void immutableStays(ObjectNode object, ObjectNode old, List<String> fields, Problems problems) {
        if (!old.path("immutable").asBoolean(false)) {
            return;
        }
        if (!object.path("immutable").asBoolean(false)) {
            problems.forbidden("immutable", WHEN_IMMUTABLE);
        }
        for (String field : fields) {
            if (!object.path(field).equals(old.path(field))) {
                problems.forbidden(field, WHEN_IMMUTABLE);
            }
        }
    }

    /** The number of bytes that a text in base64 stands for. */
    static long decodedLength(JsonNode base64) {
        String text = base64.asString("");
        int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
        return text.length() / 4L * 3 - padding;
    }
}
