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

/** The server's content in the form of a recording. */
final class GoldenState {
    private final Api api;

    GoldenState(Api api) {
        this.api = api;
    }

    /** The state in the form of a recorded quiescent state, one line per object. */
    String now() {
        Map<String, String> lines = new TreeMap<>();
        for (JsonNode d : api.list("deployment")) {
            JsonNode st = d.path("status");
            lines.put("dep " + name(d), d.path("spec").path("replicas") + " "
                    + counts(st, "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                            "unavailableReplicas")
                    + " " + String.join(" ", st.path("conditions").valueStream()
                            .map(c -> text(c, "type") + "=" + text(c, "status") + "/" + text(c, "reason")).sorted()
                            .toList()));
        }
        for (JsonNode r : api.list("replicaset")) {
            lines.put("rs " + name(r), image(r) + " " + r.path("spec").path("replicas") + " rev "
                    + r.path("metadata").path("annotations").path("deployment.kubernetes.io/revision").asString("null")
                    + " " + counts(r.path("status"), "replicas", "fullyLabeledReplicas", "readyReplicas",
                            "availableReplicas"));
        }
        podCounts().forEach((owner, states) -> lines.put("pods " + owner, states.toString()));
        return lines(lines);
    }

    /** All fields that determine what happens next, one line per object. The names are ours; pods have none. */
    String all() {
        List<String> lines = new ArrayList<>();
        lines.add(now());
        objects().forEach((name, values) -> lines.add(name + ": " + values));
        for (JsonNode pod : api.list("pod")) {
            JsonNode metadata = pod.path("metadata");
            lines.add("pod of " + owner(pod) + ": " + word(pod) + " on " + text(pod.path("spec"), "nodeName") + " "
                    + metadata.path("labels") + metadata.path("annotations") + metadata.path("finalizers"));
        }
        return String.join("\n", lines);
    }

    Map<String, TreeMap<String, Integer>> podCounts() {
        Map<String, TreeMap<String, Integer>> counts = new TreeMap<>();
        for (JsonNode pod : api.list("pod")) {
            counts.computeIfAbsent(owner(pod), o -> new TreeMap<>()).merge(word(pod), 1, Integer::sum);
        }
        return counts;
    }

    static String recorded(JsonNode q) {
        Map<String, String> lines = new TreeMap<>();
        q.path("dep").properties().forEach(e -> lines.put("dep " + e.getKey(), e.getValue().get("spec") + " "
                + e.getValue().get("st") + " " + text(e.getValue(), "conds")));
        q.path("rs").properties()
                .forEach(e -> lines.put("rs " + e.getKey(), text(e.getValue(), "image") + " " + e.getValue().get("spec")
                        + " rev " + e.getValue().get("rev").asString("null") + " " + e.getValue().get("st")));
        q.path("pods").properties().forEach(e -> lines.put("pods " + e.getKey(), counts(e.getValue()).toString()));
        return lines(lines).lines().sorted().collect(java.util.stream.Collectors.joining("\n"));
    }

    static TreeMap<String, Integer> counts(JsonNode states) {
        TreeMap<String, Integer> counts = new TreeMap<>();
        states.properties().forEach(e -> counts.put(e.getKey(), e.getValue().intValue()));
        return counts;
    }

    /**
     * Replaces the Progressing reason of a new ReplicaSet, because that reason is the result of a race in the real
     * control plane.
     */
    private static String lines(Map<String, String> lines) {
        return String.join("\n", lines.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList())
                .replace("NewReplicaSetCreated", "ReplicaSetUpdated");
    }

    /** The state of a pod: terminating, ready, or its phase. */
    static String word(JsonNode pod) {
        if (pod.path("metadata").has("deletionTimestamp")) {
            return "terminating";
        }
        boolean ready = pod.path("status").path("conditions").valueStream()
                .anyMatch(c -> text(c, "type").equals("Ready") && text(c, "status").equals("True"));
        return ready ? "ready" : pod.path("status").path("phase").asString("pending").toLowerCase(Locale.ROOT);
    }

    static String owner(JsonNode pod) {
        return pod.path("metadata").path("ownerReferences").valueStream()
                .filter(o -> o.path("controller").asBoolean(false)).map(o -> text(o, "name")).findFirst().orElse("-");
    }

    /**
     * The objects in the form of a recording's {@code final.objects}: values by path, without those that may differ.
     */
    Map<String, Map<String, String>> objects() {
        Map<String, Map<String, String>> objects = new TreeMap<>();
        api.list("deployment").forEach(d -> objects.put("Deployment/" + name(d), projected(d, false)));
        api.list("replicaset").forEach(r -> objects.put("ReplicaSet/" + name(r), projected(r, true)));
        return objects;
    }

    /** The values of a Deployment or a ReplicaSet by path, in the form of a recording. */
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

    private static String counts(JsonNode status, String... fields) {
        List<Integer> counts = new ArrayList<>();
        for (String field : fields) {
            counts.add(status.path(field).asInt(0));
        }
        return counts.toString().replace(" ", "");
    }
}
