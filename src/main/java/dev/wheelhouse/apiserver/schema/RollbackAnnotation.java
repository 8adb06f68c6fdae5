package dev.wheelhouse.apiserver.schema;

import java.math.BigInteger;
import java.util.regex.Pattern;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.schema.FieldValidation.WrongTypeException;

/**
 * The annotation by which a Deployment asks for a rollback. Upstream converts it to a number, so decoding must check it
 * (upstream: {@code pkg/apis/apps/v1/conversion.go}).
 */
final class RollbackAnnotation {
    private static final String NAME = "deprecated.deployment.rollback.to";
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");

    private RollbackAnnotation() {}

    /**
     * Brings the annotation to the canonical form of its number, and removes an empty one.
     *
     * @throws WrongTypeException if the value is not a 64-bit integer
     */
    static void decode(ObjectNode deployment) {
        if (!(Json.at(deployment, "metadata", "annotations") instanceof ObjectNode annotations)
                || !annotations.has(NAME)) {
            return;
        }
        String text = Json.text(annotations, NAME);
        if (text.isEmpty()) {
            annotations.remove(NAME);
            return;
        }
        if (!INTEGER.matcher(text).matches()) {
            throw wrong(text, "invalid syntax");
        }
        BigInteger number = new BigInteger(text);
        if (number.bitLength() >= Long.SIZE) {
            throw wrong(text, "value out of range");
        }
        annotations.put(NAME, number.toString());
    }

    private static WrongTypeException wrong(String text, String problem) {
        return new WrongTypeException("failed to parse annotation[" + NAME + "]=" + text
                + " as int64: strconv.ParseInt: parsing \"" + text + "\": " + problem);
    }
}
