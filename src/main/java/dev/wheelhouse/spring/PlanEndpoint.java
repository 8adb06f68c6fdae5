package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.console.Plans;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.DidYouMean;

import static java.util.stream.Collectors.flatMapping;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

/**
 * Shows what controllers would do to an object now, and why. Nothing is written. {@code
 * /actuator/plan/{controller}/{namespace}/{name}} asks one controller about an object of its own type. {@code
 * /actuator/plan/{controller}/{namespace}/{resource}/{name}} asks one controller, or {@code all}, about an object of
 * any type, such as {@code pods} or {@code replicasets.apps}. The namespace {@code -} stands for cluster-scoped
 * objects. {@code /actuator/plan} lists the controllers that can be asked, and the differences of those that only
 * observe. Only authorized viewers see bodies, because these hold the content of objects ({@link ManagementGuard}).
 */
@Endpoint(id = "plan")
record PlanEndpoint(ControllerManager manager) {
    private static final String WITHHELD = "bodies are shown to those whose token lets them get this path: send the "
            + "header Authorization: Bearer TOKEN";

    @ReadOperation
    Map<String, Object> controllers() {
        Map<String, List<String>> differences = manager.controllers().stream()
                .collect(groupingBy(Controller::name, flatMapping(one -> one.differences().stream(), toList())));
        differences.values().removeIf(List::isEmpty);
        return Map.of("controllers", plannable(), "differences", differences, "ask",
                List.of("plan/{controller}/{namespace}/{name}",
                        "plan/{controller, or all}/{namespace, or -}/{resource}/{name}"));
    }

    @ReadOperation
    WebEndpointResponse<Map<String, Object>> plan(SecurityContext viewer, @Selector String controller,
            @Selector String namespace, @Selector String name) {
        ObjectKey key = key(namespace, name);
        List<Controller> asked = planning(manager.controllers(controller));
        if (asked.isEmpty()) {
            return nobody(controller);
        }
        for (Controller one : asked) {
            ResourceType type = one.syncs();
            if (type == null) {
                return problem(404, one.name() + " looks at objects of any type: ask plan/" + controller + "/"
                        + namespace + "/{resource}/" + name);
            }
            try {
                Optional<List<Action>> actions = one.plan(type.groupResource(), key);
                if (actions.isPresent()) {
                    return new WebEndpointResponse<>(answer(one, key, actions.get(), viewer));
                }
            } catch (IllegalArgumentException e) {
                return cannot(one, key, e);
            } catch (KubeApiException e) {
                return problem(502, one.name() + " cannot tell: " + e.getMessage());
            }
        }
        return unknown(asked, Objects.requireNonNull(asked.getFirst().syncs()).groupResource(), key);
    }

    @ReadOperation
    WebEndpointResponse<Map<String, Object>> plan(SecurityContext viewer, @Selector String controller,
            @Selector String namespace, @Selector String resource, @Selector String name) {
        List<Controller> asked = planning(
                controller.equals("all") ? manager.controllers() : manager.controllers(controller));
        if (asked.isEmpty()) {
            return nobody(controller);
        }
        ObjectKey key = key(namespace, name);
        List<Map<String, Object>> plans = new ArrayList<>();
        for (Controller one : asked) {
            try {
                one.plan(resource, key).ifPresent(actions -> plans.add(answer(one, key, actions, viewer)));
            } catch (IllegalArgumentException e) {
                return cannot(one, key, e);
            } catch (KubeApiException e) {
                return problem(502, one.name() + " cannot tell: " + e.getMessage());
            }
        }
        return plans.isEmpty()
                ? unknown(asked, resource, key)
                : new WebEndpointResponse<>(Map.of("object", key.toString(), "resource", resource, "plans", plans));
    }

    /** Why no controller has a plan: there is no such type or no such object, or none of them handles it. */
    private WebEndpointResponse<Map<String, Object>> unknown(List<Controller> asked, String resource, ObjectKey key) {
        Map<String, List<SharedIndexInformer<?>>> caches = manager.controllers().stream()
                .flatMap(one -> one.informers().stream())
                .collect(groupingBy(cache -> cache.type().groupResource(), TreeMap::new, toList()));
        List<SharedIndexInformer<?>> ofType = caches.getOrDefault(resource, List.of());
        if (ofType.isEmpty()) {
            List<String> words = caches.keySet().stream().flatMap(type -> Stream.of(type, type.split("\\.", 2)[0]))
                    .toList();
            String meant = DidYouMean.closest(resource, words).flatMap(word -> caches.keySet().stream()
                    .filter(type -> type.equals(word) || type.startsWith(word + ".")).findFirst())
                    .map(type -> "did you mean " + type + "? ").orElse("");
            return problem(404, "no controller here has a cache of the type " + resource + ": " + meant
                    + "A type is written as in deployments.apps, or pods");
        }
        boolean exists = ofType.stream().anyMatch(cache -> cache.get(key) != null);
        return problem(404,
                (exists ? "no controller that was asked handles " : "there is no such object in the caches: ")
                        + resource + " " + key);
    }

    private static ObjectKey key(String namespace, String name) {
        return namespace.equals("-") ? ObjectKey.cluster(name) : ObjectKey.of(namespace, name);
    }

    private static Map<String, Object> answer(Controller controller, ObjectKey key, List<Action> actions,
            SecurityContext viewer) {
        boolean contents = viewer.getPrincipal() != null;
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("controller", controller.name());
        answer.put("object", key.toString());
        answer.put("actions", Plans.shown(actions, contents));
        if (!contents) {
            answer.put("withheld", WITHHELD);
        }
        return answer;
    }

    private static List<Controller> planning(List<Controller> controllers) {
        return controllers.stream().filter(Controller::plans).toList();
    }

    private List<String> plannable() {
        return planning(manager.controllers()).stream().map(Controller::name).distinct().toList();
    }

    private WebEndpointResponse<Map<String, Object>> nobody(String controller) {
        return problem(404, "no controller \"" + controller + "\" that runs here can say what it would do; ask one of "
                + plannable());
    }

    private static WebEndpointResponse<Map<String, Object>> cannot(Controller controller, ObjectKey key,
            IllegalArgumentException why) {
        return problem(422, controller.name() + " can do nothing about " + key + " until it is changed: "
                + why.getMessage());
    }

    private static WebEndpointResponse<Map<String, Object>> problem(int status, String sentence) {
        return new WebEndpointResponse<>(Map.of("problem", sentence), status);
    }
}
