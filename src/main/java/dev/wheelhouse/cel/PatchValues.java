package dev.wheelhouse.cel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.PatchTypes.Constructed;

import dev.cel.common.values.NullValue;

/**
 * The JSON of the patches that expressions of mutating policies construct (upstream:
 * {@code apiserver/pkg/cel/mutation/dynamic/objects.go}, {@code plugin/policy/mutating/patch}). A value can contain
 * another one many times, so its JSON is bounded while it is written. For one value.
 */
public final class PatchValues {
    private static final int MOST_CHARACTERS = 3 * 1024 * 1024;
    /** The characters of an empty object and a comma, which any value counts at least. */
    private static final int LEAST_OF_A_VALUE = 3;
    private static final int MOST_DEPTH = 200;
    private static final int MOST_MISTYPED = 100;

    /** Types that are not those of the fields that have them. */
    private final List<String> mistyped = new ArrayList<>();
    private long characters;
    private int depth;

    private PatchValues() {}

    /**
     * The apply configuration that an expression returned.
     *
     * @throws EvaluationException if a part has another type than its place, or the value is too large
     */
    public static ObjectNode configuration(Object value) throws EvaluationException {
        PatchValues values = new PatchValues();
        ObjectNode json = values.object((Constructed) value, PatchTypes.OBJECT);
        values.refuseMistyped();
        return json;
    }

    /**
     * The operations that an expression returned, as a JSON patch.
     *
     * @throws EvaluationException if a part has another type than its place, or the value is too large
     */
    public static ArrayNode operations(Object value) throws EvaluationException {
        ArrayNode operations = Json.array();
        PatchValues values = new PatchValues();
        for (Object element : (Collection<?>) value) {
            ObjectNode operation = operations.addObject().put("op", "").put("path", "");
            values.count(operation.toString().length());
            for (Map.Entry<String, Object> field : ((Constructed) element).entrySet()) {
                Object part = field.getValue();
                operation.set(field.getKey(), values.json(part, part instanceof Constructed typed ? typed.type() : ""));
                values.refuseMistyped();
            }
        }
        return operations;
    }

    private void refuseMistyped() throws EvaluationException {
        if (!mistyped.isEmpty()) {
            throw new EvaluationException("type mismatch: " + String.join("\n", mistyped));
        }
    }

    private void count(int more) throws EvaluationException {
        Deadline.check();
        characters += more;
        if (characters > MOST_CHARACTERS || depth > MOST_DEPTH) {
            throw new EvaluationException("the patch is too large or nests too deeply: the limits are "
                    + MOST_CHARACTERS + " characters and " + MOST_DEPTH + " levels");
        }
    }

    /** @param type that a constructed value must have at this place; empty for any */
    private JsonNode json(Object value, String type) throws EvaluationException {
        count(LEAST_OF_A_VALUE);
        depth++;
        try {
            return switch (value) {
                case Map<?, ?> map -> object(map, type);
                case Collection<?> list -> {
                    ArrayNode array = Json.array();
                    for (Object element : list) {
                        array.add(json(element, type));
                    }
                    yield array;
                }
                case Boolean flag -> JsonNodeFactory.instance.booleanNode(flag);
                case Long number -> JsonNodeFactory.instance.numberNode(number);
                case Double number -> JsonNodeFactory.instance.numberNode(number);
                case NullValue none -> JsonNodeFactory.instance.nullNode();
                case Optional<?> optional -> throw new EvaluationException(
                        "JSONPath valueExpression evaluated to a type that could not marshal to JSON: optional_type");
                default -> {
                    String text = value.toString();
                    count(text.length());
                    yield JsonNodeFactory.instance.stringNode(text);
                }
            };
        } finally {
            depth--;
        }
    }

    private ObjectNode object(Map<?, ?> map, String type) throws EvaluationException {
        boolean constructed = map instanceof Constructed && !type.isEmpty();
        if (constructed && !((Constructed) map).type().equals(type) && mistyped.size() < MOST_MISTYPED) {
            mistyped.add("unexpected type name \"" + ((Constructed) map).type() + "\", expected \"" + type
                    + "\", which matches field name path from root Object type");
        }
        ObjectNode object = Json.object();
        for (Map.Entry<?, ?> field : map.entrySet()) {
            String key = String.valueOf(field.getKey());
            count(key.length());
            object.set(key, json(field.getValue(), constructed ? type + "." + key : type));
        }
        return object;
    }
}
