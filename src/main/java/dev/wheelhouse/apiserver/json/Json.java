package dev.wheelhouse.apiserver.json;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.work.Deadline;

/**
 * Reads and writes JSON trees and gives access to their fields. All methods are thread safe. Decimal numbers are read
 * as {@code BigDecimal}, so that they keep all their digits; a number above the range of a double is an error. Input
 * that is not JSON, or has further tokens after the value, throws {@link JacksonException}. Of a duplicate field the
 * last value counts.
 */
public final class Json {
    /** Go writes numbers from here on with an exponent. */
    private static final double LEAST_WITH_EXPONENT = 1e21;
    private static final TreeNodes NODES = new TreeNodes();
    private static final JsonMapper MAPPER = JsonMapper.builder().nodeFactory(NODES)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private static final ObjectReader WITHOUT_DUPLICATES = MAPPER.reader()
            .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

    private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");
    private static final ObjectWriter PRETTY = MAPPER.writer().with(new DefaultPrettyPrinter(
            Separators.createDefaultInstance().withObjectNameValueSpacing(Separators.Spacing.AFTER)
                    .withObjectEmptySeparator("").withArrayEmptySeparator(""))
            .withObjectIndenter(INDENTER).withArrayIndenter(INDENTER));

    private Json() {}

    /** The shared mapper with the settings above. Do not reconfigure it. */
    public static JsonMapper mapper() {
        return MAPPER;
    }

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    public static ArrayNode array() {
        return NODES.arrayNode();
    }

    /** @throws JacksonException if the bytes are not one JSON value */
    public static JsonNode read(byte[] json) {
        requireUtf8(json);
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    /** Jackson guesses the encoding from the first bytes; Go's decoder reads UTF-8 without a mark alone. */
    private static void requireUtf8(byte[] json) {
        if (json.length > 1 && (json[0] == 0 || json[1] == 0 || (json[0] & 0xff) >= 0xef)) {
            throw new StreamReadException(null, "the text is not JSON in UTF-8");
        }
    }

    /** For an exponent that no BigDecimal can have, Jackson throws a NumberFormatException. */
    private static JacksonException outOfRange(NumberFormatException e) {
        return new StreamReadException(null, "a number is out of range", e);
    }

    /**
     * Reads as {@link #read(byte[])} does, at the same cost, but answers null if an object has a field twice. The
     * answer may also be null if tokens follow the value; {@link #read(byte[])} then reports the error.
     *
     * @throws JacksonException if the bytes are not JSON
     */
    public static @Nullable JsonNode readUnlessDuplicates(byte[] json) {
        requireUtf8(json);
        try {
            return WITHOUT_DUPLICATES.readTree(json);
        } catch (MismatchedInputException e) {
            return null;
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    /** @throws JacksonException if the text is not one JSON value */
    public static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    /** The value as compact JSON in UTF-8. */
    public static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /**
     * Gives each number in a value the class that it would have if the value were written and read again, so that
     * numbers of equal values are equal.
     */
    public static void normalizeNumbers(JsonNode value) {
        replaceValues(value, Json::normalized);
    }

    /** Replaces all values inside of another one, perhaps by themselves. */
    public static void replaceValues(JsonNode value, UnaryOperator<JsonNode> replacement) {
        Deadline.check();
        if (value instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(replacement.apply(field.getValue())));
        } else if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, replacement.apply(array.get(i)));
            }
        }
        value.forEach(inner -> replaceValues(inner, replacement));
    }

    /** A whole number without a point, as Go writes all that it read as floating-point numbers; else the value. */
    public static JsonNode whole(JsonNode value) {
        if (!value.isNumber() || value.isIntegralNumber() && value.canConvertToLong()) {
            return value;
        }
        double number = value.doubleValue();
        return number == Math.rint(number) && Math.abs(number) < LEAST_WITH_EXPONENT
                ? read(BigDecimal.valueOf(number).stripTrailingZeros().toPlainString())
                : value;
    }

    private static JsonNode normalized(JsonNode value) {
        boolean asRead = value.isInt() || value.isBigDecimal() || value.isBigInteger() && !value.canConvertToLong();
        if (!value.isNumber() || asRead) {
            return value;
        }
        return value.isIntegralNumber() && value.canConvertToInt()
                ? NODES.numberNode(value.intValue())
                : read(bytes(value));
    }

    /** The value as JSON for people, formatted as Go does: an indent of two spaces, no space before a colon. */
    public static byte[] pretty(JsonNode node) {
        return PRETTY.writeValueAsBytes(node);
    }

    /** The node at a path of object fields, or null if a step is missing or null. */
    public static @Nullable JsonNode at(JsonNode node, String... path) {
        JsonNode here = node;
        for (String step : path) {
            here = here.get(step);
            if (here == null || here.isNull()) {
                return null;
            }
        }
        return here;
    }

    /** The text at a path of object fields; empty if it is missing or not a string. */
    public static String text(JsonNode node, String... path) {
        JsonNode at = at(node, path);
        return at != null && at.isString() ? at.stringValue() : "";
    }

    /** The number at a path of object fields; {@code otherwise} if it is missing or not a whole number of 64 bits. */
    public static long number(JsonNode node, long otherwise, String... path) {
        JsonNode at = at(node, path);
        return at != null && at.isIntegralNumber() && at.canConvertToLong() ? at.longValue() : otherwise;
    }

    /** The elements of a list as texts; none for a node of another type. An element that is no scalar is empty. */
    public static List<String> texts(JsonNode list) {
        return list.isArray() ? list.valueStream().map(element -> element.asString("")).toList() : List.of();
    }

    /** A list of texts. */
    public static ArrayNode list(String... texts) {
        ArrayNode list = NODES.arrayNode();
        Stream.of(texts).forEach(list::add);
        return list;
    }

    /** Sets a field to a list of texts, or leaves the object alone if there are none. */
    public static void putTexts(ObjectNode node, String field, Collection<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode list = node.putArray(field);
            texts.forEach(list::add);
        }
    }

    /** The object in a field. If the field is missing or holds another type, a new empty object is put there. */
    public static ObjectNode child(ObjectNode node, String field) {
        return node.get(field) instanceof ObjectNode child ? child : node.putObject(field);
    }

    /** Copies the fields that the other object does not have. */
    public static void copyMissing(JsonNode from, ObjectNode to) {
        for (Map.Entry<String, JsonNode> field : from.properties()) {
            if (!to.has(field.getKey())) {
                to.set(field.getKey(), field.getValue());
            }
        }
    }
}
