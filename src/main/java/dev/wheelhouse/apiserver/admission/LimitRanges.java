package dev.wheelhouse.apiserver.admission;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.PodResources;
import dev.wheelhouse.facts.Quantities;

/**
 * The LimitRanges of a namespace: defaults for the resources of new pods, and bounds (upstream:
 * {@code plugin/pkg/admission/limitranger}).
 */
final class LimitRanges implements AdmissionPlugin {
    /** By the namespace. */
    private final StoreView<Map<String, List<JsonNode>>> limits;

    /** So many amounts never fit into an object. */
    private static final long MOST_AMOUNTS = TooLargeException.MOST_BYTES / 8;

    /** Bounds the message of a refusal, because each container may break each limit. */
    private static final int MOST_PROBLEMS = 100;

    LimitRanges(ObjectStore store) {
        this.limits = StoreView.of(store, "limitranges", StoredObject::tree, ranges -> ranges.stream()
                .collect(Collectors.groupingBy(Meta::namespace, Collectors.flatMapping(
                        range -> range.path("spec").path("limits").valueStream(), Collectors.toList()))));
    }

    private List<JsonNode> limits(String namespace, String type) {
        return limits.get().getOrDefault(namespace, List.of()).stream()
                .filter(limit -> Json.text(limit, "type").equals(type)).toList();
    }

    /** Sets the default requests and limits of the containers of a new pod. */
    @Override
    public void mutate(ResourceType type, ObjectNode pod, @Nullable ObjectNode old) {
        if (old != null || !type.equals(ResourceType.PODS)) {
            return;
        }
        List<JsonNode> limits = limits(Meta.namespace(pod), "Container");
        long containers = pod.path("spec").path("containers").size() + pod.path("spec").path("initContainers").size();
        long amounts = Stream.of("default", "defaultRequest").mapToLong(list -> limits.stream()
                .flatMap(limit -> limit.path(list).propertyNames().stream()).distinct().count()).sum();
        if (containers * amounts > MOST_AMOUNTS) {
            throw new TooLargeException("the LimitRanges of the namespace give the pod " + containers * amounts
                    + " amounts");
        }
        List<String> notes = new ArrayList<>();
        for (JsonNode limit : limits) {
            fill(pod, limit, "containers", "container", notes);
            fill(pod, limit, "initContainers", "init container", notes);
        }
        if (!notes.isEmpty()) {
            Json.child(Meta.of(pod), "annotations").put("kubernetes.io/limit-ranger",
                    "LimitRanger plugin set: " + String.join("; ", notes));
        }
    }

    private static void fill(ObjectNode pod, JsonNode limit, String list, String called, List<String> notes) {
        for (JsonNode node : pod.path("spec").path(list)) {
            Deadline.check();
            if (node instanceof ObjectNode container) {
                for (String[] kind : new String[][]{{"defaultRequest", "requests", "request"},
                        {"default", "limits", "limit"}}) {
                    Set<String> set = copyMissing(limit.path(kind[0]), container, kind[1]);
                    if (!set.isEmpty()) {
                        notes.add(String.join(", ", set) + " " + kind[2] + " for " + called + " "
                                + Json.text(container, "name"));
                    }
                }
            }
        }
    }

    private static Set<String> copyMissing(JsonNode defaults, ObjectNode container, String list) {
        Set<String> set = new TreeSet<>();
        defaults.properties().forEach(entry -> {
            if (Json.at(container, "resources", list, entry.getKey()) == null) {
                Json.child(Json.child(container, "resources"), list).set(entry.getKey(), entry.getValue());
                set.add(entry.getKey());
            }
        });
        return set;
    }

    /** Refuses a new pod, or a new or changed claim, outside of the bounds. */
    @Override
    public void validate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        List<String> problems = new ArrayList<>();
        if (old == null && type.equals(ResourceType.PODS) && object.get("spec") instanceof ObjectNode spec) {
            for (JsonNode limit : limits(Meta.namespace(object), "Container")) {
                for (String list : List.of("containers", "initContainers")) {
                    for (JsonNode container : spec.path(list)) {
                        bounds(limit, amounts(container.path("resources").path("requests")),
                                amounts(container.path("resources").path("limits")), problems);
                    }
                }
            }
            for (JsonNode limit : limits(Meta.namespace(object), "Pod")) {
                bounds(limit, PodResources.aggregate(spec, "requests"), PodResources.aggregate(spec, "limits"),
                        problems);
            }
        } else if (type.groupResource().equals("persistentvolumeclaims")) {
            for (JsonNode limit : limits(Meta.namespace(object), "PersistentVolumeClaim")) {
                Map<String, BigDecimal> requests = amounts(object.path("spec").path("resources").path("requests"));
                bounds(limit, requests, requests, problems);
            }
        }
        if (!problems.isEmpty()) {
            throw Errors.forbidden(type, object, Errors.all(problems));
        }
    }

    private static Map<String, BigDecimal> amounts(JsonNode list) {
        Map<String, BigDecimal> amounts = new TreeMap<>();
        list.properties().forEach(entry -> {
            BigDecimal value = Quantities.parse(entry.getValue().asString(""));
            if (value != null) {
                amounts.put(entry.getKey(), value);
            }
        });
        return amounts;
    }

    private static void bounds(JsonNode limit, Map<String, BigDecimal> requests, Map<String, BigDecimal> limits,
            List<String> problems) {
        Deadline.check();
        if (problems.size() >= MOST_PROBLEMS) {
            return;
        }
        String upper = Json.text(limit, "type").equals("PersistentVolumeClaim") ? "request" : "limit";
        String of = " per " + Json.text(limit, "type") + " is ";
        bound(limit.path("min"), "minimum ", of, -1, "request", requests, "limit", limits, problems);
        bound(limit.path("max"), "maximum ", of, 1, upper, limits, "request", requests, problems);
        amounts(limit.path("maxLimitRequestRatio")).forEach((name, ratio) -> {
            String rule = name + " max limit to request ratio" + of
                    + limit.path("maxLimitRequestRatio").path(name).asString("");
            BigDecimal request = positive(requests.get(name));
            BigDecimal most = positive(limits.get(name));
            if (request == null || most == null) {
                String which = request == null ? "request" : "limit";
                problems.add(rule + ", but no " + which + " is specified or " + which + " is 0");
            } else {
                BigDecimal seen = most.divide(request, 6, RoundingMode.HALF_UP);
                if (seen.compareTo(ratio) > 0) {
                    problems.add(rule + ", but provided ratio is " + seen.toPlainString());
                }
            }
        });
    }

    /**
     * Compares the first amounts, which must be there, then the second ones.
     *
     * @param sign of the order of an amount that breaks the bound
     */
    private static void bound(JsonNode bounds, String which, String of, int sign, String first,
            Map<String, BigDecimal> firsts, String second, Map<String, BigDecimal> seconds, List<String> problems) {
        amounts(bounds).forEach((name, bound) -> {
            String rule = which + name + " usage" + of + bounds.path(name).asString("");
            BigDecimal one = firsts.get(name);
            BigDecimal other = seconds.get(name);
            if (one == null) {
                problems.add(rule + ".  No " + first + " is specified");
            } else if (sign * one.compareTo(bound) > 0) {
                problems.add(rule + ", but " + first + " is " + text(one));
            } else if (other != null && sign * other.compareTo(bound) > 0) {
                problems.add(rule + ", but " + second + " is " + text(other));
            }
        });
    }

    private static @Nullable BigDecimal positive(@Nullable BigDecimal value) {
        return value == null || value.signum() <= 0 ? null : value;
    }

    private static String text(BigDecimal value) {
        return Quantities.canonical(value, value.scale() >= 0);
    }
}
