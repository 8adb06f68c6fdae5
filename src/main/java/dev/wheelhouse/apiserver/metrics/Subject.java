package dev.wheelhouse.apiserver.metrics;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.facts.Quantities;

/** An object whose metrics are asked for. The age of a load is that of the object's controller, if it has one. */
record Subject(ObjectNode object, Cluster cluster) {
    /** The time over which a usage is measured. A container that has run for less has no usage yet. */
    static final Duration WINDOW = Duration.ofSeconds(15);

    private static final String PREFIX = "hollow.wheelhouse.dev/";
    /** The usage of a container that requests nothing, in thousandths. */
    private static final Map<String, Long> IDLE = Map.of("cpu", 1L, "memory", 16L * 1024 * 1024 * 1000);

    /** The value of an annotation; empty if there is none. */
    String annotation(String key) {
        return Json.text(object, "metadata", "annotations", key);
    }

    /**
     * The value of a load now, in thousandths; null if it has none.
     *
     * @param request the request of the container; null if there is none
     */
    @Nullable
    Long milli(Load load, @Nullable BigDecimal request) {
        JsonNode owner = controller(object);
        ObjectNode controller = owner == null ? null : find(owner);
        Instant since = Meta.time(Json.text(controller == null ? object : controller, "metadata", "creationTimestamp"));
        Instant now = cluster.now();
        return load.milli(since.isAfter(now) ? Duration.ZERO : Duration.between(since, now), request,
                load.shared() && owner != null
                        ? cluster.runningPods(Meta.namespace(object), Json.text(owner, "uid"))
                        : 1);
    }

    /**
     * The usage of each measured container of a pod, in thousandths by resource; empty if none is measured.
     *
     * @return by the name of the container
     */
    Map<String, Map<String, Long>> usage() {
        Map<String, Map<String, Long>> usage = new LinkedHashMap<>();
        if (isRunning(object)) {
            for (JsonNode container : object.path("spec").path("containers")) {
                measure(container, usage);
            }
            for (JsonNode container : object.path("spec").path("initContainers")) {
                if (Json.text(container, "restartPolicy").equals("Always")) {
                    measure(container, usage);
                }
            }
        }
        return usage;
    }

    private void measure(JsonNode container, Map<String, Map<String, Long>> usage) {
        String name = Json.text(container, "name");
        if (isMeasured(name)) {
            usage.put(name, Map.of("cpu", usage(container, name, "cpu"), "memory", usage(container, name, "memory")));
        }
    }

    private long usage(JsonNode container, String name, String resource) {
        BigDecimal request = Quantities.parse(Json.text(container, "resources", "requests", resource));
        String own = annotation(PREFIX + resource + "." + name);
        Load load = Load.parse(own.isEmpty() ? annotation(PREFIX + resource) : own);
        Long milli = load == null ? null : milli(load, request);
        return milli != null
                ? milli
                : request != null ? Quantities.milli(request) / 2 : IDLE.getOrDefault(resource, 0L);
    }

    /** Whether a container has run for the window. A pod without the status of the container counts as running. */
    private boolean isMeasured(String container) {
        for (String list : new String[]{"containerStatuses", "initContainerStatuses"}) {
            for (JsonNode status : object.path("status").path(list)) {
                if (Json.text(status, "name").equals(container)) {
                    JsonNode running = Json.at(status, "state", "running");
                    return running != null
                            && !Meta.time(Json.text(running, "startedAt")).plus(WINDOW).isAfter(cluster.now());
                }
            }
        }
        return true;
    }

    /** The reference to the controller of an object; null if it has none. */
    static @Nullable JsonNode controller(ObjectNode object) {
        return object.path("metadata").path("ownerReferences").valueStream()
                .filter(owner -> owner.path("controller").asBoolean(false)).findFirst().orElse(null);
    }

    private @Nullable ObjectNode find(JsonNode owner) {
        return cluster.find(Json.text(owner, "apiVersion"), Json.text(owner, "kind"), Meta.namespace(object),
                Json.text(owner, "name"), Json.text(owner, "uid"));
    }

    static boolean isRunning(ObjectNode pod) {
        return Json.text(pod, "status", "phase").equals("Running");
    }
}
