package dev.wheelhouse.apiserver.patch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonKey;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.patch.StrategicMerge.Scope;

/**
 * Lists in a strategic merge patch. Lists of scalars are merged as sets, lists of objects by a merge key.
 *
 * <p>The order of a merged list: elements of the patch are in its order, all others in their old order. Another element
 * comes before one of the patch only if it did in the live list.
 */
final class MergeLists {
    private MergeLists() {}

    static ArrayNode merge(ArrayNode live, ArrayNode patch, Scope elements, String mergeKey, boolean deletes) {
        if (live.isEmpty() && patch.isEmpty()) {
            return live;
        }
        if (!ofObjects(live, patch)) {
            elements.work().add(live.size() + patch.size());
            return deletes ? without(live, patch) : order(union(live, patch), patch, live, "");
        }
        if (mergeKey.isEmpty()) {
            throw new PatchException(500, "cannot merge lists without merge key for "
                    + (elements.type() == null ? "map" : "struct"));
        }
        elements.work().add(live.size() + patch.size());
        ArrayNode base = live;
        ArrayNode changes = patch.arrayNode();
        Set<String> deleted = new HashSet<>();
        boolean replace = false;
        for (JsonNode element : patch) {
            JsonNode directive = element.get(StrategicMerge.PATCH);
            if (directive == null) {
                changes.add(element);
            } else if (is(directive, "delete")) {
                deleted.add(JsonKey.of(key(element, mergeKey)));
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
        if (!deleted.isEmpty()) {
            base.removeIf(present -> deleted.contains(identity(present, mergeKey)));
        }
        List<JsonNode> merged = new ArrayList<>(base.size());
        base.forEach(merged::add);
        Map<String, Integer> places = places(base, mergeKey);
        for (JsonNode change : changes) {
            Integer at = places.putIfAbsent(JsonKey.of(key(change, mergeKey)), merged.size());
            if (at == null) {
                merged.add(change);
            } else {
                merged.set(at, StrategicMerge.merge((ObjectNode) merged.get(at), (ObjectNode) change, elements));
            }
        }
        return order(base.arrayNode().addAll(merged), changes, base, mergeKey);
    }

    /**
     * Sorts a merged list.
     *
     * @param patchOrder the patch's elements, or its order directive
     * @param live the list before
     */
    static ArrayNode order(ArrayNode merged, ArrayNode patchOrder, ArrayNode live, String mergeKey) {
        for (int i = 0; i < patchOrder.size() && !mergeKey.isEmpty() && !merged.isEmpty(); i++) {
            if (!patchOrder.get(i).isObject()) {
                throw new PatchException(500, "value for key " + i + " is not a map");
            }
            key(patchOrder.get(i), mergeKey);
        }
        Map<String, Integer> patchPlaces = places(patchOrder, mergeKey);
        Map<String, Integer> livePlaces = places(live, mergeKey);
        List<Ranked> patched = new ArrayList<>();
        List<Ranked> others = new ArrayList<>();
        for (JsonNode element : merged) {
            if (!mergeKey.isEmpty()) {
                key(element, mergeKey);
            }
            String identity = identity(element, mergeKey);
            int livePlace = livePlaces.getOrDefault(identity, -1);
            Integer patchPlace = patchPlaces.get(identity);
            if (patchPlace != null) {
                patched.add(new Ranked(element, patchPlace, livePlace));
            } else {
                others.add(new Ranked(element, livePlace, livePlace));
            }
        }
        patched.sort(Comparator.comparingInt(Ranked::rank));
        others.sort(Comparator.comparingInt(Ranked::rank));
        ArrayNode result = merged.arrayNode();
        int o = 0;
        for (Ranked element : patched) {
            while (o < others.size() && others.get(o).live() >= 0 && others.get(o).live() < element.live()) {
                result.add(others.get(o++).element());
            }
            result.add(element.element());
        }
        while (o < others.size()) {
            result.add(others.get(o++).element());
        }
        return result;
    }

    /**
     * An element of a merged list.
     *
     * @param rank its place within its group
     * @param live its place in the live list; -1 if it is new
     */
    private record Ranked(JsonNode element, int rank, int live) {}

    /** Refuses a patch whose elements are not in the order of its own directive. */
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
        List<JsonNode> all = Stream.concat(live.valueStream(), patch.valueStream()).toList();
        if (all.stream().anyMatch(JsonNode::isArray)) {
            throw new PatchException(422, Patches.REJECTED, "lists of lists are not supported");
        }
        long objects = all.stream().filter(JsonNode::isObject).count();
        if (objects != 0 && objects != all.size()) {
            throw new PatchException(500, "list element types are not identical: [" + JsonValues.goText(live) + " "
                    + JsonValues.goText(patch) + "]");
        }
        return objects != 0;
    }

    private static ArrayNode union(ArrayNode live, ArrayNode patch) {
        Map<String, JsonNode> union = new LinkedHashMap<>();
        List.of(live, patch).forEach(list -> list.forEach(each -> union.putIfAbsent(JsonKey.of(each), each)));
        return live.arrayNode().addAll(union.values());
    }

    private static ArrayNode without(ArrayNode live, ArrayNode deleted) {
        Set<String> gone = places(deleted, "").keySet();
        live.removeIf(element -> gone.contains(JsonKey.of(element)));
        return live;
    }

    /** The first index of each element in a list, by its identity. */
    private static Map<String, Integer> places(ArrayNode list, String mergeKey) {
        Map<String, Integer> places = HashMap.newHashMap(list.size());
        for (int i = 0; i < list.size(); i++) {
            String identity = identity(list.get(i), mergeKey);
            if (!identity.isEmpty()) {
                places.putIfAbsent(identity, i);
            }
        }
        return places;
    }

    /** An element's merge key, or the whole element if there is no key; empty if it has no value for the key. */
    private static String identity(JsonNode element, String mergeKey) {
        JsonNode of = mergeKey.isEmpty() ? element : element.get(mergeKey);
        return of == null ? "" : JsonKey.of(of);
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
                    "expected a map[string]interface {}, but received a " + JsonValues.goType(element));
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
