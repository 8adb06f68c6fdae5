package dev.wheelhouse.apiserver.aggregation;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * An APIService as it is stored.
 *
 * @param version of the group
 * @param namespace of the Service
 * @param service its name; empty if this server has the group version itself
 * @param port of the Service
 * @param available whether the stored conditions say so
 * @param reason of that
 */
record Remote(String name, String group, String version, String namespace, String service, int port,
        boolean available, String reason, JsonNode spec) {
    static final int PORT = 443;

    static Remote of(StoredObject stored) {
        ObjectNode tree = stored.tree();
        JsonNode spec = tree.path("spec");
        JsonNode condition = tree.path("status").path("conditions").valueStream()
                .filter(each -> Json.text(each, "type").equals("Available")).findFirst().orElse(Json.object());
        return new Remote(stored.name(), Json.text(spec, "group"), Json.text(spec, "version"),
                Json.text(spec, "service", "namespace"), Json.text(spec, "service", "name"),
                (int) Json.number(spec, PORT, "service", "port"), Json.text(condition, "status").equals("True"),
                Json.text(condition, "reason"), spec);
    }

    boolean isLocal() {
        return service.isEmpty();
    }

    /** The path of the group version. */
    String path() {
        return "/apis/" + group + "/" + version;
    }

    long groupPriority() {
        return Json.number(spec, 0, "groupPriorityMinimum");
    }

    long versionPriority() {
        return Json.number(spec, 0, "versionPriority");
    }
}
