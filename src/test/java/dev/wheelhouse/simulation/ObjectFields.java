package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** Reads objects as the API server returns them. */
final class ObjectFields {
    private ObjectFields() {}

    /** The state of a pod: terminating, ready, or its phase. */
    static String word(JsonNode pod) {
        if (isDeleted(pod)) {
            return "terminating";
        }
        boolean ready = pod.path("status").path("conditions").valueStream()
                .anyMatch(c -> text(c, "type").equals("Ready") && text(c, "status").equals("True"));
        return ready ? "ready" : pod.path("status").path("phase").asString("pending").toLowerCase(Locale.ROOT);
    }

    static boolean isDeleted(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    static String owner(JsonNode pod) {
        return pod.path("metadata").path("ownerReferences").valueStream()
                .filter(o -> o.path("controller").asBoolean(false)).map(o -> text(o, "name")).findFirst().orElse("-");
    }

    /** The values of a Deployment or a ReplicaSet by path. */
    static Map<String, String> projected(JsonNode object, boolean replicaSet) {
        ObjectNode reduced = Json.object();
        JsonNode metadata = object.path("metadata");
        JsonNode spec = object.path("spec");
        reduced.set("generation", metadata.path("generation"));
        reduced.set("replicas", spec.path("replicas"));
        reduced.put("image", image(object));
        metadata.path("annotations").properties().forEach(a -> reduced.set("ann." + a.getKey(), a.getValue()));
        object.path("status").properties().stream().filter(e -> e.getValue().isNumber())
                .forEach(e -> reduced.set("status." + e.getKey(), e.getValue()));
        for (JsonNode c : object.path("status").path("conditions")) {
            ArrayNode condition = reduced.putArray("cond." + text(c, "type"));
            condition.add(c.path("status")).add(c.path("reason")).add(c.path("message"));
        }
        if (replicaSet) {
            if (spec.path("minReadySeconds").asInt(0) > 0) {
                reduced.set("minReadySeconds", spec.path("minReadySeconds"));
            }
            reduced.set("selector", spec.path("selector").path("matchLabels"));
            reduced.set("labels", metadata.path("labels"));
            reduced.set("templateLabels", spec.path("template").path("metadata").path("labels"));
            ArrayNode owners = reduced.putArray("owners");
            for (JsonNode o : metadata.path("ownerReferences")) {
                owners.add(text(o, "kind") + "/" + text(o, "name")
                        + (o.path("controller").asBoolean(false) ? " controller" : "")
                        + (o.path("blockOwnerDeletion").asBoolean(false) ? " block" : ""));
            }
        }
        return reduced(reduced, replicaSet);
    }

    /** The values of an object by path, without a ReplicaSet's generation, the order of conditions, and zeros. */
    static Map<String, String> reduced(JsonNode object, boolean replicaSet) {
        Map<String, String> values = new TreeMap<>();
        object.properties().forEach(e -> {
            String path = e.getKey();
            boolean zero = path.startsWith("status.") && e.getValue().asInt(0) == 0;
            if (!zero && !path.equals("condOrder")
                    && !(replicaSet && (path.equals("generation") || path.equals("status.observedGeneration")))) {
                values.put(path, sorted(e.getValue()));
            }
        });
        return values;
    }

    private static String sorted(JsonNode value) {
        if (!value.isObject()) {
            return value.toString();
        }
        List<String> fields = new ArrayList<>();
        value.properties().forEach(e -> fields.add(e.getKey() + "=" + e.getValue()));
        fields.sort(null);
        return fields.toString();
    }

    static String name(JsonNode object) {
        return text(object.path("metadata"), "name");
    }

    static String image(JsonNode object) {
        return text(object.path("spec").path("template").path("spec").path("containers").path(0), "image");
    }

    static String text(JsonNode object, String field) {
        return object.path(field).asString("");
    }
}
