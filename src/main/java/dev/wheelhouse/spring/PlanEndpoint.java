package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.manager.ControllerManager;

/**
 * {@code /actuator/plan/{controller}/{namespace}/{name}}: what a controller would do to an object now, and why. Nothing is
 * written. {@code /actuator/plan} names the controllers that can be asked.
 */
@Endpoint(id = "plan")
final class PlanEndpoint {
    private final ControllerManager manager;

    PlanEndpoint(ControllerManager manager) {
        this.manager = manager;
    }

    @ReadOperation
    Map<String, Object> controllers() {
        return Map.of("controllers", plannable(), "ask", "plan/{controller}/{namespace}/{name}");
    }

    @ReadOperation
    WebEndpointResponse<Map<String, Object>> plan(@Selector String controller, @Selector String namespace,
            @Selector String name) {
        Controller found = manager.controller(controller).orElse(null);
        if (!(found instanceof Plannable planner)) {
            return problem(404,
                    "no controller \"" + controller + "\" that runs here can say what it would do; ask one of "
                            + plannable());
        }
        ObjectKey key = ObjectKey.of(namespace, name);
        if (!planner.knows(key)) {
            return problem(404, planner.name() + " knows of no object " + key);
        }
        List<Action> actions;
        try {
            actions = planner.plan(key);
        } catch (IllegalArgumentException e) {
            return problem(422, planner.name() + " can do nothing about " + key + " until it is changed: "
                    + e.getMessage());
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("controller", planner.name());
        answer.put("object", key.toString());
        answer.put("actions", actions.stream().flatMap(action -> shown(action).stream()).toList());
        return new WebEndpointResponse<>(answer);
    }

    private List<String> plannable() {
        return manager.controllers().stream().filter(Plannable.class::isInstance).map(Controller::name).toList();
    }

    private static WebEndpointResponse<Map<String, Object>> problem(int status, String sentence) {
        return new WebEndpointResponse<>(Map.of("problem", sentence), status);
    }

    private static List<Map<String, Object>> shown(Action action) {
        return switch (action) {
            case Action.Batch batch -> {
                List<Map<String, Object>> all = new ArrayList<>();
                batch.writes().forEach(write -> all.addAll(shown(write)));
                yield all;
            }
            case Action.Write write -> List.of(write(write));
            case Action.RequireLive check -> List.of(entry("check", "resource", check.type().groupResource(), "target",
                    check.target().toString(), "why", check.why()));
            case Action.Event event -> List.of(entry("event", "type", event.type(), "reason", event.reason(), "message",
                    event.message()));
            case Action.RequeueAfter requeue -> List.of(entry("look again", "after", requeue.delay().toString()));
        };
    }

    private static Map<String, Object> write(Action.Write write) {
        Map<String, Object> entry = entry(write.verb(), "resource", write.type().groupResource(), "target",
                write.target().toString(), "why", write.why());
        switch (write) {
            case Action.Create create -> entry.put("body", tree(create.object()));
            case Action.Update update -> entry.put("body", tree(update.object()));
            case Action.UpdateStatus update -> entry.put("body", ModelJson.tree(update.object()).path("status"));
            case Action.UpdateSubresource update -> entry.put("body", tree(update.object()));
            case Action.Patch patch -> entry.put("body", patch.body());
            case Action.Delete delete -> {
                // Its target says all.
            }
            case Action.DeleteCollection delete -> {
                // Its target says all.
            }
        }
        return entry;
    }

    private static Object tree(KubernetesObject object) {
        return ModelJson.tree(object);
    }

    private static Map<String, Object> entry(String action, String... details) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("action", action);
        for (int i = 0; i < details.length; i += 2) {
            entry.put(details[i], details[i + 1]);
        }
        return entry;
    }
}
