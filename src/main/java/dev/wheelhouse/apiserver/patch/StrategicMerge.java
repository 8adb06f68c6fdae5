package dev.wheelhouse.apiserver.patch;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

/** Strategic merge patch of objects; {@link MergeLists} merges lists. Works in place on its own copies. */
final class StrategicMerge {
    static final String PATCH = "$patch";
    static final String RETAIN_KEYS = "$retainKeys";
    static final String SET_ELEMENT_ORDER = "$setElementOrder/";
    static final String DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList/";

    private StrategicMerge() {}

    static ObjectNode apply(ObjectNode object, ObjectNode patch, TypeSchema schema) {
        return merge(object.deepCopy(), patch.deepCopy(), new Scope(schema, new Work()));
    }

    /**
     * The type of an object in the patch.
     *
     * @param type null for a map
     * @param work counts the work of the whole patch
     */
    record Scope(@Nullable TypeSchema type, Work work) {

        /**
         * @throws PatchException 500 if the type has no such field. A map has none, either: upstream cannot merge into
         *         its objects and lists
         */
        Field field(String key) {
            Field field = type == null ? null : type.field(key);
            if (field != null) {
                return field;
            }
            throw new PatchException(500, type == null
                    ? "merging an object in json but data type is not struct, instead is: map"
                    : "unable to find api field in struct " + type.name().substring(type.name().lastIndexOf('.') + 1)
                            + " for the json field \"" + key + "\"");
        }

        /** The scope of the object in a field, or of a list's elements. */
        Scope in(Field field) {
            boolean isMap = field.shape() == Shape.MAP || field.shape() == Shape.MAP_OF_LISTS;
            return new Scope(isMap ? null : field.type(), work);
        }
    }

    /**
     * Counts the list elements that a patch merges. A patch can name an element many times and merge its lists again.
     */
    static final class Work {
        private static final long MOST_ELEMENTS = 5_000_000;
        private long elements;

        void add(int more) {
            Deadline.check();
            elements += more;
            if (elements > MOST_ELEMENTS) {
                throw new PatchException(413, "the patch merges more than " + MOST_ELEMENTS
                        + " elements of lists: name each element of a list once, or send several patches");
            }
        }
    }

    static ObjectNode merge(ObjectNode original, ObjectNode patch, Scope scope) {
        JsonNode directive = patch.get(PATCH);
        if (directive != null) {
            return applyDirective(directive, original, patch);
        }
        retainKeys(original, patch);
        mergeOrderedLists(original, patch, scope);
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            mergeField(original, change.getKey(), change.getValue(), scope);
        }
        return original;
    }

    private static ObjectNode applyDirective(JsonNode directive, ObjectNode original, ObjectNode patch) {
        if (directive.isString() && directive.stringValue().equals("replace")) {
            patch.remove(PATCH);
            return patch;
        }
        if (directive.isString() && directive.stringValue().equals("delete")) {
            return original.objectNode();
        }
        throw unknownDirective(directive, patch);
    }

    static PatchException unknownDirective(JsonNode directive, ObjectNode patch) {
        String text = JsonValues.goText(directive);
        return new PatchException(500, "unknown patch type: "
                + (directive.isString() ? text : "%!s(" + JsonValues.goType(directive) + "=" + text + ")")
                + " in map: " + JsonValues.goText(patch));
    }

    private static void mergeField(ObjectNode original, String field, JsonNode value, Scope scope) {
        boolean deletes = field.startsWith(DELETE_FROM_PRIMITIVE_LIST);
        String key = deletes ? field.substring(DELETE_FROM_PRIMITIVE_LIST.length()) : field;
        if (value.isNull()) {
            original.remove(key);
            return;
        }
        JsonNode present = original.get(key);
        if (present == null || present.getNodeType() != value.getNodeType()) {
            if (!deletes) {
                setNew(original, key, value);
            }
            return;
        }
        if (present instanceof ObjectNode inner && value instanceof ObjectNode changes) {
            Field known = scope.field(key);
            original.set(key, known.patchStrategies().contains("replace")
                    ? changes
                    : merge(inner, changes, scope.in(known)));
        } else if (present instanceof ArrayNode list && value instanceof ArrayNode changes) {
            Field known = scope.field(key);
            original.set(key, deletes || known.patchStrategies().contains("merge")
                    ? MergeLists.merge(list, changes, scope.in(known), known.patchMergeKey(), deletes)
                    : changes);
        } else {
            original.set(key, value);
        }
    }

    /** Sets a value that has no counterpart in the object, without the nulls and directives in it. */
    private static void setNew(ObjectNode original, String key, JsonNode value) {
        if (value instanceof ObjectNode object && object.has(PATCH)) {
            original.remove(key);
            return;
        }
        withoutDirectives(value);
        original.set(key, value);
    }

    static void withoutDirectives(JsonNode value) {
        if (value instanceof ObjectNode object) {
            object.removeIf(inner -> inner.isNull() || inner.has(PATCH));
            object.propertyNames().removeIf(
                    key -> key.equals(RETAIN_KEYS) || key.startsWith(SET_ELEMENT_ORDER)
                            || key.startsWith(DELETE_FROM_PRIMITIVE_LIST));
            object.forEach(StrategicMerge::withoutDirectives);
        } else if (value instanceof ArrayNode array) {
            array.removeIf(inner -> inner.isObject() && inner.has(PATCH));
            array.forEach(StrategicMerge::withoutDirectives);
        }
    }

    private static void retainKeys(ObjectNode original, ObjectNode patch) {
        JsonNode directive = patch.remove(RETAIN_KEYS);
        if (directive == null) {
            return;
        }
        if (!(directive instanceof ArrayNode list)) {
            throw badRetainKeys("$retainKeys is not a list");
        }
        Set<String> retained = new HashSet<>();
        list.forEach(key -> retained.add(key.isString() ? key.stringValue() : key.toString()));
        for (Map.Entry<String, JsonNode> change : patch.properties()) {
            String key = change.getKey();
            if (!change.getValue().isNull() && !retained.contains(key) && !key.startsWith(SET_ELEMENT_ORDER)
                    && !key.startsWith(DELETE_FROM_PRIMITIVE_LIST)) {
                throw badRetainKeys("the patch has the field " + key + ", which its $retainKeys does not list");
            }
        }
        original.propertyNames().removeIf(key -> !retained.contains(key));
    }

    private static PatchException badRetainKeys(String detail) {
        return new PatchException(400, "invalid patch format of retainKeys", detail);
    }

    /** Merges the lists with an order directive, and removes both from the patch. */
    private static void mergeOrderedLists(ObjectNode original, ObjectNode patch, Scope scope) {
        for (String directive : List.copyOf(patch.propertyNames())) {
            if (!directive.startsWith(SET_ELEMENT_ORDER)) {
                continue;
            }
            String key = directive.substring(SET_ELEMENT_ORDER.length());
            ArrayNode order = list(patch.remove(directive));
            ArrayNode live = list(original.get(key));
            ArrayNode changed = list(patch.get(key));
            Field field = scope.field(key);
            if (field.shape() != Shape.LIST) {
                throw new PatchException(500, "expected slice or array type, but got: struct");
            }
            String mergeKey = field.patchMergeKey();
            if (order == null || live == null && changed == null) {
                continue;
            }
            ArrayNode merged = live;
            if (changed != null) {
                MergeLists.checkOrder(changed, order, mergeKey);
                merged = changed;
                if (live == null) {
                    withoutDirectives(changed);
                } else if (field.patchStrategies().contains("merge")) {
                    merged = MergeLists.merge(live.deepCopy(), changed, scope.in(field), mergeKey, false);
                }
            }
            if (merged != null) {
                original.set(key,
                        MergeLists.order(merged, order, live == null ? original.arrayNode() : live, mergeKey));
            }
            patch.remove(key);
        }
    }

    private static @Nullable ArrayNode list(@Nullable JsonNode node) {
        if (node == null || node instanceof ArrayNode) {
            return (ArrayNode) node;
        }
        throw new PatchException(500, "expected a []interface {}, but received a " + JsonValues.goType(node));
    }
}
