package dev.wheelhouse.recording;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;

/**
 * Matches pods that were equal for the controllers before a step. Which of them a controller deletes depends on their
 * UIDs, which are random, so their aliases may be swapped.
 */
final class Lookalikes {
    private static final Pattern ALIAS = Pattern.compile("(.*#)\\d+");

    private final Names names;
    private final Clock clock;
    private final Map<String, String> looks = new HashMap<>();

    Lookalikes(Names names, Clock clock) {
        this.names = names;
        this.clock = clock;
    }

    /**
     * Keeps what controllers can tell pods apart by.
     *
     * @param kubelet the changes that follow
     */
    void remember(List<JsonNode> objects, @Nullable JsonNode kubelet) {
        looks.clear();
        Map<String, Integer> load = new HashMap<>();
        List<JsonNode> pods = objects.stream().filter(o -> Json.text(o, "kind").equals("Pod")).toList();
        pods.forEach(p -> load.merge(neighbours(p), 1, Integer::sum));
        for (JsonNode pod : pods) {
            String alias = names.alias(Names.name(pod));
            JsonNode ready = pod.at("/status/conditions").valueStream()
                    .filter(c -> Json.text(c, "type").equals("Ready")).findFirst().orElse(Json.object());
            looks.put(alias, Json.text(pod, "status", "phase") + Json.text(ready, "status")
                    + age(Json.text(ready, "lastTransitionTime")) + age(Json.text(pod, "metadata", "creationTimestamp"))
                    + pod.path("metadata").has("deletionTimestamp") + pod.at("/metadata/labels")
                    + pod.at("/metadata/annotations") + load.get(neighbours(pod)) + changes(alias, kubelet));
        }
    }

    private static String neighbours(JsonNode pod) {
        return Json.text(pod, "spec", "nodeName") + " " + Json.text(Names.controller(pod), "uid");
    }

    /** Controllers compare ages by their order of magnitude. */
    private int age(String time) {
        return time.isEmpty()
                ? -1
                : 64 - Long.numberOfLeadingZeros(
                        Math.max(0, Duration.between(Instant.parse(time), clock.now()).toSeconds()));
    }

    private static String changes(String alias, @Nullable JsonNode kubelet) {
        StringBuilder changes = new StringBuilder();
        if (kubelet != null) {
            kubelet.properties().forEach(verb -> {
                if (!verb.getKey().equals("bind")) {
                    verb.getValue().valueStream()
                            .filter(e -> (e.isObject() ? Json.text(e, "pod") : e.asString()).equals(alias))
                            .forEach(e -> changes.append(verb.getKey()));
                }
            });
        }
        return changes.toString();
    }

    /**
     * Swaps aliases until the states are equal, or no swap helps.
     *
     * @return the state with the final aliases
     */
    Map<String, JsonNode> match(Map<String, JsonNode> recorded, Supplier<Map<String, JsonNode>> state) {
        Map<String, JsonNode> here = state.get();
        while (swap(recorded, here)) {
            here = state.get();
        }
        return here;
    }

    private boolean swap(Map<String, JsonNode> recorded, Map<String, JsonNode> here) {
        Set<String> differing = new TreeSet<>(recorded.keySet());
        differing.addAll(here.keySet());
        differing.removeIf(o -> !o.startsWith("Pod/") || !ALIAS.matcher(o).matches()
                || Objects.equals(recorded.get(o), here.get(o)));
        for (String one : differing) {
            for (String other : differing) {
                if (!one.equals(other) && owner(one).equals(owner(other))
                        && Objects.equals(looks.get(alias(one)), looks.get(alias(other)))
                        && Objects.equals(recorded.get(one), here.get(other))) {
                    names.swap(alias(one), alias(other));
                    return true;
                }
            }
        }
        return false;
    }

    private static String alias(String object) {
        return object.substring("Pod/".length());
    }

    private static String owner(String object) {
        return ALIAS.matcher(object).replaceAll("$1");
    }
}
