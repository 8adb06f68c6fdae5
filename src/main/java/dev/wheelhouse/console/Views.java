package dev.wheelhouse.console;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.runtime.OneLine;

import okhttp3.Call;

/** Every view of the console by its name. A view is data that becomes JSON. Thread safe. */
final class Views {
    /** Stands for all types in a list of objects. */
    private static final String ALL = "all";
    private static final int DAY = 24 * 60;
    private static final int MOST_LINES = 500;
    private static final int LONGEST = 500;
    private static final int MOST_BYTES = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Parts parts;
    private final CachedObjects objects;
    private final LiveViews live;
    private final ObjectView object;
    private final NodesView nodes;

    /** Thrown for a view that does not exist, or whose object the caller may not read. */
    static final class NotShown extends RuntimeException {
        private final int code;

        NotShown(int code, String message) {
            super(message);
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    Views(Parts parts, Rollouts rollouts) {
        this.parts = parts;
        this.objects = new CachedObjects(parts.caches());
        this.live = new LiveViews(parts);
        this.object = new ObjectView(parts, objects, rollouts);
        this.nodes = new NodesView(parts, objects);
    }

    /**
     * The view of a name.
     *
     * @throws NotShown if there is nothing that may be shown
     * @throws IllegalArgumentException if the parameters make no sense
     */
    Object of(String name, ViewRequest query) {
        return switch (name) {
            case "me" ->
                Map.of("user", query.viewer().getName(), "keys", live.keys(), "writable", parts.writable(), "embedded",
                        parts.embedded(), "server", parts.client().server());
            case "flow" -> live.flow(query.viewer());
            case "controllers" -> Map.of("controllers", live.details(query.viewer()));
            case "nodes" -> nodes.page(query.text("text"), query.offset(), ViewRequest.PAGE, query.viewer());
            case "writes" -> WritesPage.find(parts.journal(), new WritesPage.Filter(query.text("controller"),
                    query.text("object"), query.text("verb"), query.text("failed").equals("true"),
                    from(query.number("minutes", 0))), query.number("before", Long.MAX_VALUE),
                    Math.clamp(query.number("limit", 100), 1, WritesPage.MOST),
                    query.viewer()::mayGet);
            case "problems" -> problems(query);
            case "types" -> types(query.viewer());
            case "objects" -> {
                String namespace = query.text("namespace");
                List<ResourceType> types = query.text("type").equals(ALL)
                        ? objects.types().keySet().stream().filter(type -> query.viewer().may("list", type, namespace))
                                .toList()
                        : List.of(query.type(objects));
                types.forEach(type -> require(query.viewer(), "list", type, "", namespace));
                yield object.list(query.text("type"), types, namespace, query.text("text"), query.offset(),
                        ViewRequest.PAGE, query.viewer());
            }
            case "yaml" -> {
                ResourceType type = query.type(objects);
                require(query.viewer(), "get", type, "", query.key().namespace());
                yield YamlOf.object(type, parts.client().read(type.path(cached(type, query.key())), Map.of()));
            }
            case "logs" -> {
                require(query.viewer(), "get", ResourceType.PODS, "log", query.key().namespace());
                yield logs(cached(ResourceType.PODS, query.key()), query.text("container"));
            }
            case "object" -> {
                ResourceType type = query.type(objects);
                ObjectKey key = query.key();
                require(query.viewer(), "get", type, "", key.namespace());
                yield found(object.of(type, key, query.viewer()), type, key);
            }
            case "plan" -> {
                ResourceType type = query.type(objects);
                require(query.viewer(), "get", type, "", query.key().namespace());
                yield Map.of("plans", plans(type, query.key()));
            }
            default -> throw new NotShown(404, "there is no view \"" + name + "\"");
        };
    }

    /** @param minutes until now; 0 for all times */
    private Instant from(long minutes) {
        return minutes <= 0 ? Instant.EPOCH : parts.clock().now().minus(Duration.ofMinutes(Math.min(minutes, DAY)));
    }

    /** The key of an object that is there. A path made of any other text could lead to another object. */
    private ObjectKey cached(ResourceType type, ObjectKey key) {
        found(objects.get(type, key), type, key);
        return key;
    }

    private static Object found(@Nullable Object view, ResourceType type, ObjectKey key) {
        if (view == null) {
            throw new NotShown(404, "there is no object " + key + " of " + type);
        }
        return view;
    }

    /** The last lines of a container's log. */
    private Map<String, String> logs(ObjectKey pod, String container) {
        String tried = "read the log of pods " + pod;
        try {
            Call call = new CoreV1Api(parts.api()).readNamespacedPodLog(pod.name(), pod.namespace())
                    .container(container.isEmpty() ? null : container).tailLines(MOST_LINES).limitBytes(MOST_BYTES)
                    .buildCall(null);
            call.timeout().timeout(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            String text = parts.api().<String>execute(call, String.class).getData();
            return Map.of("log", text == null ? "" : text);
        } catch (ApiException e) {
            if (e.getCode() == 0) {
                throw new KubeApiException(tried, e);
            }
            String body = String.valueOf(e.getResponseBody());
            throw new NotShown(e.getCode(), tried + ": " + OneLine.of(body.startsWith("{")
                    ? ModelJson.read(body, JsonNode.class).path("message").asString(body)
                    : e.getCode() + " " + body, LONGEST));
        }
    }

    private static void require(Viewer viewer, String verb, ResourceType type, String subresource,
            String namespace) {
        if (!viewer.may(verb, type, subresource, namespace)) {
            throw new NotShown(403, "User \"" + viewer.getName() + "\" cannot " + verb + " " + type
                    + (subresource.isEmpty() ? "" : "/" + subresource)
                    + (namespace.isEmpty() ? "" : " in namespace " + namespace));
        }
    }

    /** A page of the problems whose objects the caller may read; a cause is shown to those who may read its object. */
    private Map<String, Object> problems(ViewRequest query) {
        Viewer viewer = query.viewer();
        List<Assessment.Problem> seen = parts.health().now().problems().stream()
                .filter(problem -> mayGet(viewer, problem.item())
                        && problem.item().key().toString().contains(query.text("text")))
                .toList();
        int offset = Math.min(query.offset(), seen.size());
        return Map.of("count", seen.size(), "offset", offset, "objects", objects.types().values().stream()
                .mapToInt(Integer::intValue).sum(), "problems",
                seen.subList(offset, Math.min(offset + ViewRequest.PAGE, seen.size())).stream()
                        .map(problem -> ProblemLine.of(problem, mayGet(viewer, problem.origin()))).toList());
    }

    private static boolean mayGet(Viewer viewer, Assessment.Item item) {
        return viewer.mayGet(item.type(), item.key().namespace());
    }

    private Map<String, Object> types(Viewer viewer) {
        List<Map<String, Object>> types = new ArrayList<>();
        objects.types().forEach((type, count) -> {
            boolean all = viewer.may("list", type, "");
            types.add(Map.of("type", type.groupResource(), "kind", type.kind(), "count", all ? count : -1));
        });
        return Map.of("types", types, "namespaces", viewer.may("list", ResourceType.NAMESPACES, "")
                ? objects.list(ResourceType.NAMESPACES, "").stream().map(namespace -> ObjectKey.of(namespace).name())
                        .sorted().limit(MOST_LINES).toList()
                : List.of());
    }

    private List<Map<String, Object>> plans(ResourceType type, ObjectKey key) {
        List<Map<String, Object>> plans = new ArrayList<>();
        for (Controller controller : parts.manager().controllers()) {
            Map<String, Object> plan = new LinkedHashMap<>();
            plan.put("controller", controller.name());
            try {
                controller.plan(type.groupResource(), key).ifPresent(actions -> {
                    plan.put("actions", Plans.shown(actions, false));
                    plans.add(plan);
                });
            } catch (IllegalArgumentException | KubeApiException e) {
                plan.put("problem", String.valueOf(e.getMessage()));
                plans.add(plan);
            }
        }
        return plans;
    }
}
