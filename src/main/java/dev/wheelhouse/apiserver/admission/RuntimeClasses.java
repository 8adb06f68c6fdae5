package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.Quantities;

/**
 * Gives a new pod the overhead, node selector and tolerations of its runtime class (upstream:
 * {@code plugin/pkg/admission/runtimeclass}, {@code pkg/util/tolerations}).
 */
record RuntimeClasses(ObjectStore store) implements AdmissionPlugin {
    /** @throws StatusException 403 if there is no such class, or the pod contradicts it */
    @Override
    public void mutate(ResourceType type, ObjectNode pod, @Nullable ObjectNode old) {
        if (old != null || !type.equals(ResourceType.PODS)) {
            return;
        }
        ObjectNode spec = Json.child(pod, "spec");
        JsonNode runtimeClass = runtimeClass(pod);
        JsonNode overhead = Json.at(runtimeClass, "overhead", "podFixed");
        if (overhead != null) {
            if (!spec.path("overhead").isEmpty()) {
                checkOverhead(pod, overhead);
            }
            spec.set("overhead", overhead.deepCopy());
        }
        nodeSelector(pod, spec, runtimeClass.path("scheduling").path("nodeSelector"));
        if (runtimeClass.path("scheduling").path("tolerations") instanceof ArrayNode more) {
            spec.set("tolerations", merged(spec.path("tolerations"), more));
        }
    }

    /** @throws StatusException 403 for an overhead that is not that of the class */
    @Override
    public void validate(ResourceType type, ObjectNode pod, @Nullable ObjectNode old) {
        if (old == null && type.equals(ResourceType.PODS)) {
            JsonNode overhead = Json.at(runtimeClass(pod), "overhead", "podFixed");
            if (overhead != null) {
                checkOverhead(pod, overhead);
            } else if (pod.path("spec").path("overhead").isObject()) {
                throw refused(pod,
                        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
            }
        }
    }

    /** The class of a pod; missing if it names none. */
    private JsonNode runtimeClass(ObjectNode pod) {
        String name = Json.text(pod, "spec", "runtimeClassName");
        StoredObject found = name.isEmpty() ? null : store.get("runtimeclasses.node.k8s.io", "", name);
        if (found == null && !name.isEmpty()) {
            throw refused(pod, "pod rejected: RuntimeClass \"" + name + "\" not found");
        }
        return found == null ? MissingNode.getInstance() : found.tree();
    }

    private static StatusException refused(ObjectNode pod, String why) {
        return Errors.forbidden(ResourceType.PODS, pod, why);
    }

    private static void checkOverhead(ObjectNode pod, JsonNode defined) {
        if (!sameQuantities(pod.path("spec").path("overhead"), defined)) {
            throw refused(pod, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        }
    }

    private static boolean sameQuantities(JsonNode one, JsonNode other) {
        return one.size() == other.size() && one.properties().stream().allMatch(entry -> {
            var first = Quantities.parse(entry.getValue().asString(""));
            var second = Quantities.parse(other.path(entry.getKey()).asString(""));
            return first != null && second != null && first.compareTo(second) == 0;
        });
    }

    private static void nodeSelector(ObjectNode pod, ObjectNode spec, JsonNode wanted) {
        if (wanted.isEmpty()) {
            return;
        }
        ObjectNode selector = Json.child(spec, "nodeSelector");
        for (Map.Entry<String, JsonNode> label : wanted.properties()) {
            JsonNode given = selector.get(label.getKey());
            if (given != null && !given.equals(label.getValue())) {
                throw refused(pod, "conflict: runtimeClass.scheduling.nodeSelector[" + label.getKey() + "] = "
                        + label.getValue().asString("") + "; pod.spec.nodeSelector[" + label.getKey() + "] = "
                        + given.asString(""));
            }
            selector.set(label.getKey(), label.getValue());
        }
    }

    /** Both lists without tolerations that another one covers. */
    private static ArrayNode merged(JsonNode first, JsonNode second) {
        List<JsonNode> all = Stream.concat(first.valueStream(), second.valueStream()).toList();
        ArrayNode merged = Json.array();
        for (int i = 0; i < all.size(); i++) {
            JsonNode toleration = all.get(i);
            Deadline.check();
            if (merged.valueStream().noneMatch(kept -> covers(kept, toleration)) && all.stream().skip(i + 1L)
                    .noneMatch(later -> !later.equals(toleration) && covers(later, toleration))) {
                merged.add(toleration);
            }
        }
        return merged;
    }

    /** Whether {@code wide} tolerates everything that {@code narrow} does. */
    private static boolean covers(JsonNode wide, JsonNode narrow) {
        if (wide.equals(narrow)) {
            return true;
        }
        String operator = Json.text(wide, "operator");
        String effect = Json.text(wide, "effect");
        String key = Json.text(wide, "key");
        boolean everyKey = key.isEmpty() && operator.equals("Exists");
        if (!everyKey && !key.equals(Json.text(narrow, "key"))
                || !effect.isEmpty() && !effect.equals(Json.text(narrow, "effect"))) {
            return false;
        }
        if (effect.equals("NoExecute") && wide.has("tolerationSeconds") && (!narrow.has("tolerationSeconds")
                || Json.number(narrow, 0, "tolerationSeconds") > Json.number(wide, 0, "tolerationSeconds"))) {
            return false;
        }
        return operator.equals("Exists") || (operator.isEmpty() || operator.equals("Equal"))
                && Json.text(narrow, "operator").equals("Equal")
                && Json.text(narrow, "value").equals(Json.text(wide, "value"));
    }
}
