package dev.wheelhouse.apiserver.patch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.patch.StrategicMerge.Scope;

/**
 * Lists in a strategic merge patch: of scalars, merged as sets, and of objects, merged by a key.
 *
 * <p>The order of a merged list: elements of the patch in its order, the others in the order that they had; an element of the others
 * stands before one of the patch only if it stood before it in the live list.
 */
final class MergeLists {
    private MergeLists() {}

    static ArrayNode merge(ArrayNode live, ArrayNode patch, Scope elements, String mergeKey, boolean deletes) {
        if (live.isEmpty() && patch.isEmpty()) {
            return live;
        }
        if (!ofObjects(live, patch)) {
            return deletes ? without(live, patch) : order(union(live, patch), patch, live, "");
        }
        if (mergeKey.isEmpty()) {
            throw new PatchException(500, "cannot merge lists without merge key for "
                    + (elements.type() == null ? "the list" : elements.type().name()));
        }
        ArrayNode base = live;
        ArrayNode changes = patch.arrayNode();
        boolean replace = false;
        for (JsonNode element : patch) {
            JsonNode directive = element.get(StrategicMerge.PATCH);
            if (directive == null) {
                changes.add(element);
            } else if (is(directive, "delete")) {
                JsonNode key = key(element, mergeKey);
                base.removeIf(present -> JsonValues.same(present.get(mergeKey), key));
            } else if (is(directive, "replace")) {
                replace = true;
            } else if (is(directive, "merge")) {
                throw new PatchException(500, "merging lists cannot yet be specified in the patch");
            } else {
                throw StrategicMerge.unknownDirective(directive, (ObjectNode) element);
            }
        }
        if (replace) {
            changes.forEach(element -> key(element, mergeKey));
            return changes;
        }
        List<JsonNode> merged = StrategicMerge.elements(base);
        for (JsonNode change : changes) {
            JsonNode key = key(change, mergeKey);
            int at = find(merged, mergeKey, key);
            if (at < 0) {
                merged.add(change);
            } else {
                merged.set(at,
                        StrategicMerge.merge((ObjectNode) merged.get(at).deepCopy(), (ObjectNode) change, elements));
            }
        }
        return order(base.arrayNode().addAll(merged), changes, base, mergeKey);
    }

    /** Orders a merged list. @param patchOrder the patch's elements, or its order directive @param live the list before */
    static ArrayNode order(ArrayNode merged, ArrayNode patchOrder, ArrayNode live, String mergeKey) {
        List<JsonNode> patched = new ArrayList<>();
        List<JsonNode> others = new ArrayList<>();
        for (JsonNode element : merged) {
            if (!mergeKey.isEmpty()) {
                key(element, mergeKey);
            }
            (index(patchOrder, element, mergeKey) >= 0 ? patched : others).add(element);
        }
        patched.sort(Comparator.comparingInt(element -> index(patchOrder, element, mergeKey)));
        others.sort(Comparator.comparingInt(element -> index(live, element, mergeKey)));
        ArrayNode result = merged.arrayNode();
        int o = 0;
        for (JsonNode element : patched) {
            int place = index(live, element, mergeKey);
            while (o < others.size() && place >= 0) {
                int other = index(live, others.get(o), mergeKey);
                if (other < 0 || other >= place) {
                    break;
                }
                result.add(others.get(o++));
            }
            result.add(element);
        }
        while (o < others.size()) {
            result.add(others.get(o++));
        }
        return result;
    }

    /** Refuses a patch whose elements do not stand in the order that its directive demands. */
    static void checkOrder(ArrayNode patch, ArrayNode order, String mergeKey) {
        if (order.isEmpty()) {
            return;
        }
        int at = 0;
        for (JsonNode element : patch) {
            if (element.isObject() && element.has(StrategicMerge.PATCH)) {
                continue;
            }
            if (!mergeKey.isEmpty()) {
                key(element, mergeKey);
            }
            while (at < order.size() && !sameElement(order.get(at), element, mergeKey)) {
                at++;
            }
            if (at++ >= order.size()) {
                throw new PatchException(500, "The order in patch list:\n" + JsonValues.goText(patch)
                        + "\n doesn't match $setElementOrder list:\n" + JsonValues.goText(order) + "\n");
            }
        }
    }

    private static boolean is(JsonNode directive, String word) {
        return directive.isString() && directive.stringValue().equals(word);
    }

    private static boolean ofObjects(ArrayNode live, ArrayNode patch) {
        int objects = 0;
        int all = 0;
        for (ArrayNode list : List.of(live, patch)) {
            for (JsonNode element : list) {
                if (element.isArray()) {
                    throw new PatchException(422, Patches.REJECTED, "lists of lists are not supported");
                }
                objects += element.isObject() ? 1 : 0;
                all++;
            }
        }
        if (objects != 0 && objects != all) {
            throw new PatchException(500, "list element types are not identical: objects and scalars in one list");
        }
        return objects != 0;
    }

    private static ArrayNode union(ArrayNode live, ArrayNode patch) {
        ArrayNode union = live.arrayNode();
        for (ArrayNode list : List.of(live, patch)) {
            for (JsonNode element : list) {
                if (index(union, element, "") < 0) {
                    union.add(element);
                }
            }
        }
        return union;
    }

    private static ArrayNode without(ArrayNode live, ArrayNode deleted) {
        ArrayNode rest = live.arrayNode();
        for (JsonNode element : live) {
            if (index(deleted, element, "") < 0) {
                rest.add(element);
            }
        }
        return rest;
    }

    private static int find(List<JsonNode> elements, String mergeKey, JsonNode key) {
        for (int i = 0; i < elements.size(); i++) {
            if (JsonValues.same(elements.get(i).get(mergeKey), key)) {
                return i;
            }
        }
        return -1;
    }

    private static int index(ArrayNode list, JsonNode element, String mergeKey) {
        for (int i = 0; i < list.size(); i++) {
            if (sameElement(list.get(i), element, mergeKey)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean sameElement(@Nullable JsonNode a, JsonNode b, String mergeKey) {
        if (a == null || mergeKey.isEmpty()) {
            return JsonValues.same(a, b);
        }
        JsonNode key = a.get(mergeKey);
        return key != null && JsonValues.same(key, b.get(mergeKey));
    }

    private static JsonNode key(JsonNode element, String mergeKey) {
        if (!element.isObject()) {
            throw new PatchException(500,
                    "expected a map[string]interface {}, but received a " + StrategicMerge.goType(element));
        }
        JsonNode key = element.get(mergeKey);
        if (key == null) {
            throw new PatchException(500,
                    "map: " + JsonValues.goText(element) + " does not contain declared merge key: "
                            + mergeKey);
        }
        return key;
    }
}
