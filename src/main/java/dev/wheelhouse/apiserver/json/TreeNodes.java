package dev.wheelhouse.apiserver.json;

import java.math.BigDecimal;

import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.ValueNode;

/**
 * Creates the nodes of JSON trees. Objects hold their fields in a {@link FieldMap}. Numbers are kept within the range
 * of Go's {@code float64}, as upstream does: a number above the range is refused, a number below it becomes zero. So a
 * short text such as {@code 1e999999999} can never expand to all its digits when it is written.
 */
final class TreeNodes extends JsonNodeFactory {
    /** The largest double is 1.8e308, the smallest 4.9e-324. */
    private static final int MOST_DIGITS = 309;
    private static final int SMALLEST_EXPONENT = -323;
    /** The first capacity of an array. Most lists of Kubernetes have one or two elements. */
    private static final int ELEMENTS = 2;

    @Override
    public ObjectNode objectNode() {
        return objectNode(0);
    }

    /** @param fields the number of fields that are expected */
    ObjectNode objectNode(int fields) {
        return new ObjectNode(this, new FieldMap(fields));
    }

    @Override
    public ArrayNode arrayNode() {
        return arrayNode(ELEMENTS);
    }

    @Override
    public ValueNode numberNode(BigDecimal number) {
        if (number == null || (number.signum() == 0 && number.scale() >= 0 && number.scale() < MOST_DIGITS)) {
            return super.numberNode(number);
        }
        long digits = (long) number.precision() - number.scale();
        if (number.signum() == 0 || digits < SMALLEST_EXPONENT) {
            return super.numberNode(BigDecimal.ZERO);
        }
        if (digits > MOST_DIGITS) {
            throw new StreamReadException(null, "cannot unmarshal number of " + digits
                    + " digits into a value of type float64: the number is out of range");
        }
        return super.numberNode(number);
    }
}
