package dev.wheelhouse.apiserver.patch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

import dev.wheelhouse.apiserver.json.JsonValues;

/**
 * The paths at which two objects differ. Paths of equal parts are never built, so the cost depends on the differences.
 *
 * @param added includes every object and list that is new as a whole
 */
record Comparison(FieldSet added, FieldSet modified, FieldSet removed) {
    static final Comparison NONE = new Comparison(new FieldSet(), new FieldSet(), new FieldSet());

    static Comparison of(JsonNode before, JsonNode after, Structure structure) {
        Walk walk = new Walk();
        walk.compare(before, after, structure);
        return walk.found;
    }

    FieldSet changed() {
        return added.union(modified);
    }

    boolean isEmpty() {
        return added.isEmpty() && modified.isEmpty() && removed.isEmpty();
    }

    Comparison without(FieldSet ignored) {
        return ignored.isEmpty()
                ? this
                : new Comparison(added.withoutTrees(ignored), modified.withoutTrees(ignored),
                        removed.withoutTrees(ignored));
    }

    private static final class Walk {
        final Comparison found = new Comparison(new FieldSet(), new FieldSet(), new FieldSet());
        private final List<String> path = new ArrayList<>();

        /** Null means that the value is missing; at most one of the two is. JSON null is a value. */
        void compare(@Nullable JsonNode left, @Nullable JsonNode right, Structure structure) {
            if (left == null && right != null) {
                collect(found.added.child(path), right, structure);
                return;
            }
            if (right == null && left != null) {
                collect(found.removed.child(path), left, structure);
                return;
            }
            Structure.Form form = structure.form(left, right);
            boolean leaf = form == Structure.Form.LEAF
                    || (Structure.isEmptyContainer(left) && Structure.isEmptyContainer(right));
            if (leaf) {
                if (!JsonValues.same(left, right)) {
                    found.modified.insert(path);
                    // An object that became a scalar or a list, or the other way round.
                    collectFields(found.removed.child(path), left, structure);
                    collectFields(found.added.child(path), right, structure);
                }
                return;
            }
            if (form == Structure.Form.OBJECT) {
                fields(left, right, structure);
            } else if (!JsonValues.same(left, right)) {
                elements(left, right, structure);
            }
        }

        /** Adds all paths of a value that only one of the objects has. */
        private static void collect(FieldSet here, JsonNode value, Structure structure) {
            here.add();
            Structure.Form form = structure.form(null, value);
            if (form == Structure.Form.LEAF || Structure.isEmptyContainer(value)) {
                return;
            }
            if (form == Structure.Form.OBJECT) {
                collectFields(here, value, structure);
            } else {
                byStep(value, structure).forEach((step, elements) -> {
                    if (elements.size() == 1) {
                        collect(here.child(step), elements.getFirst(), structure.element());
                    } else {
                        here.child(step).add();
                    }
                });
            }
        }

        private static void collectFields(FieldSet here, @Nullable JsonNode value, Structure structure) {
            if (value != null && structure.form(null, value) == Structure.Form.OBJECT) {
                value.properties().forEach(field -> collect(here.child("f:" + field.getKey()), field.getValue(),
                        structure.field(field.getKey())));
            }
        }

        private void fields(@Nullable JsonNode left, @Nullable JsonNode right, Structure structure) {
            JsonNode before = left == null ? MissingNode.getInstance() : left;
            JsonNode after = right == null ? MissingNode.getInstance() : right;
            for (Map.Entry<String, JsonNode> field : before.properties()) {
                String name = field.getKey();
                JsonNode other = after.get(name);
                if (!JsonValues.same(field.getValue(), other)) {
                    compareChild("f:" + name, field.getValue(), other, structure.field(name));
                }
            }
            for (Map.Entry<String, JsonNode> field : after.properties()) {
                String name = field.getKey();
                if (before.get(name) == null) {
                    compareChild("f:" + name, null, field.getValue(), structure.field(name));
                }
            }
        }

        private void elements(@Nullable JsonNode left, @Nullable JsonNode right, Structure structure) {
            Map<String, List<JsonNode>> before = byStep(left, structure);
            Map<String, List<JsonNode>> after = byStep(right, structure);
            before.forEach((step, old) -> element(step, old, after.getOrDefault(step, List.of()), structure));
            after.forEach((step, now) -> {
                if (!before.containsKey(step)) {
                    element(step, List.of(), now, structure);
                }
            });
        }

        /** List elements with the same step (duplicates) are owned together. */
        private void element(String step, List<JsonNode> old, List<JsonNode> now, Structure structure) {
            if (old.size() <= 1 && now.size() <= 1) {
                compareChild(step, old.isEmpty() ? null : old.getFirst(), now.isEmpty() ? null : now.getFirst(),
                        structure.element());
                return;
            }
            path.add(step);
            if (old.size() > 1 && now.size() > 1) {
                if (old.size() != now.size()
                        || IntStream.range(0, old.size()).anyMatch(i -> !JsonValues.same(old.get(i), now.get(i)))) {
                    found.modified.insert(path);
                }
            } else if (old.size() > 1) {
                if (!now.isEmpty()) {
                    compare(null, now.getFirst(), structure.element());
                }
                found.removed.insert(path);
            } else {
                if (!old.isEmpty()) {
                    compare(old.getFirst(), null, structure.element());
                }
                found.added.insert(path);
            }
            path.removeLast();
        }

        private void compareChild(String step, @Nullable JsonNode left, @Nullable JsonNode right, Structure structure) {
            path.add(step);
            compare(left, right, structure);
            path.removeLast();
        }

        private static Map<String, List<JsonNode>> byStep(@Nullable JsonNode list, Structure structure) {
            Map<String, List<JsonNode>> elements = new LinkedHashMap<>();
            if (list != null && list.isArray()) {
                for (JsonNode element : list) {
                    elements.computeIfAbsent(structure.step(element), s -> new ArrayList<>(1)).add(element);
                }
            }
            return elements;
        }
    }
}
