package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.Plannable;
import dev.wheelhouse.controller.PlansForAnyType;

/** Shows what controllers would do about an object now. Nothing is written. */
public final class Plans {
    private Plans() {}

    /** Whether a controller can say what it would do. */
    public static boolean plans(Controller controller) {
        return controller instanceof Plannable || controller instanceof PlansForAnyType;
    }

    /**
     * The actions of one controller for an object.
     *
     * @param groupResource the type, such as {@code deployments.apps}
     * @return empty if the controller does not know the object
     * @throws IllegalArgumentException if the object cannot be synced until a user changes it
     * @throws dev.wheelhouse.api.ApiError if the plan depends on a live read that fails
     */
    public static Optional<List<Action>> of(Controller controller, String groupResource, ObjectKey key) {
        return switch (controller) {
            case PlansForAnyType any -> any.plan(groupResource, key);
            case Plannable planner when planner.plansFor().groupResource().equals(groupResource)
                    && planner.knows(key) ->
                Optional.of(planner.plan(key));
            default -> Optional.empty();
        };
    }

    /** @param contents whether to show the bodies of writes, which hold the content of objects */
    public static List<Map<String, Object>> shown(List<Action> actions, boolean contents) {
        return actions.stream().flatMap(action -> shown(action, contents).stream()).toList();
    }

    private static List<Map<String, Object>> shown(Action action, boolean contents) {
        return switch (action) {
            case Action.Batch batch -> {
                List<Map<String, Object>> all = new ArrayList<>();
                batch.writes().forEach(write -> all.addAll(shown(write, contents)));
                yield all;
            }
            case Action.Write write -> List.of(write(write, contents));
            case Action.RequireLive check -> List.of(entry("check", "resource", check.type().groupResource(), "target",
                    check.target().toString(), "why", check.why()));
            case Action.RequireGone check -> List.of(entry("check", "resource", check.type().groupResource(), "target",
                    check.target().toString(), "why", check.why()));
            case Action.Event event -> List.of(entry("event", "type", event.type(), "reason", event.reason(), "message",
                    event.message()));
            case Action.RequeueAfter requeue -> List.of(entry("look again", "after", requeue.delay().toString()));
        };
    }

    private static Map<String, Object> write(Action.Write write, boolean contents) {
        Map<String, Object> entry = entry(write.verb(), "resource", write.type().groupResource(), "target",
                write.target().toString(), "why", write.why());
        if (!contents) {
            return entry;
        }
        switch (write) {
            case Action.Create create -> entry.put("body", ModelJson.tree(create.object()));
            case Action.Update update -> entry.put("body", ModelJson.tree(update.object()));
            case Action.UpdateStatus update -> entry.put("body", ModelJson.tree(update.object()).path("status"));
            case Action.UpdateSubresource update -> entry.put("body", ModelJson.tree(update.object()));
            case Action.Patch patch -> entry.put("body", patch.body());
            case Action.Apply apply -> entry.put("body", apply.body());
            case Action.CreateSubresource create -> entry.put("body", ModelJson.tree(create.body()));
            case Action.Delete delete -> {
                // A delete has no body.
            }
            case Action.DeleteCollection delete -> {
                // A delete has no body.
            }
        }
        return entry;
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
