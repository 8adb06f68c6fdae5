package dev.wheelhouse.apiserver.json;

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

/** JSON trees, the form in which the API server works on objects. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder().nodeFactory(new BoundedNumbers())
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

    public static JsonMapper mapper() {
        return MAPPER;
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    /** @throws JacksonException if the bytes are no JSON */
    public static JsonNode read(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    /** An exponent that no decimal has: the parser fails by another exception than for all else. */
    private static JacksonException outOfRange(NumberFormatException e) {
        return new StreamReadException(null, "a number is out of range", e);
    }

    /**
     * As {@link #read(byte[])}, at no further cost, but null where an object has a field twice.
     *
     * @throws JacksonException if the bytes are no JSON
     */
    public static @Nullable JsonNode readUnlessDuplicates(byte[] json) {
        try {
            return WITHOUT_DUPLICATES.readTree(json);
        } catch (MismatchedInputException e) {
            return null;
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    /** @throws JacksonException if the text is no JSON */
    public static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (NumberFormatException e) {
            throw outOfRange(e);
        }
    }

    public static byte[] bytes(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /** JSON for eyes: as Go indents it, by two spaces, and none before a colon. */
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

    /** The text at a path of object fields; empty if it is missing or no text. */
    public static String text(JsonNode node, String... path) {
        JsonNode at = at(node, path);
        return at != null && at.isString() ? at.stringValue() : "";
    }

    /** The number at a path of object fields, or a default. */
    public static long number(JsonNode node, long otherwise, String... path) {
        JsonNode at = at(node, path);
        return at != null && at.isIntegralNumber() && at.canConvertToLong() ? at.longValue() : otherwise;
    }

    /** The object in a field, made if it is missing. */
    public static ObjectNode child(ObjectNode node, String field) {
        return node.get(field) instanceof ObjectNode child ? child : node.putObject(field);
    }
}
