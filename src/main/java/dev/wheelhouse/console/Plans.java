package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;

/** Shows actions, such as those of a controller's plan, as trees. */
public final class Plans {
    private Plans() {}

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
            case Action.Wait wait -> List.of(entry("wait", "resource", wait.type().groupResource(), "target",
                    wait.target().toString(), "why", wait.why()));
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
