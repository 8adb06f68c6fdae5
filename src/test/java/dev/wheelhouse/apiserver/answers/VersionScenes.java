package dev.wheelhouse.apiserver.answers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.operator.webhook.ScriptedWebhook;

import static dev.wheelhouse.testing.Eventually.eventually;

/** The requests of {@code applies/versions.yaml}, sent to one server. */
final class VersionScenes {
    private static final List<String> NO_FIELDS = List.of("apply", "merge", "put", "post", "get", "as", "query", "sub",
            "metadata");

    private VersionScenes() {}

    /** The answers to all requests, in their order: lines of the recording. */
    static List<ObjectNode> answers(HttpWire wire) throws Exception {
        JsonNode all = Resources.yaml("/applies/versions.yaml");
        List<ObjectNode> answers = new ArrayList<>();
        try (ScriptedWebhook webhook = new ScriptedWebhook("127.0.0.1")) {
            webhook.respond("/convert", VersionScenes::converted);
            for (JsonNode scene : all.path("scenes")) {
                String name = scene.has("name") ? Json.text(scene, "name") : Json.text(scene, "scene");
                for (JsonNode step : scene.path("steps")) {
                    if (step.has("await")) {
                        String path = place(all, step, "await")[0];
                        eventually(path + " is as awaited", Duration.ofMinutes(1),
                                () -> wire.send(Probe.get(path)).code() == step.path("code").asInt());
                        continue;
                    }
                    ObjectNode line = Json.object().put("scene", Json.text(scene, "scene"));
                    Probe probe = probe(all, name, step, webhook);
                    line.put("request", probe.method() + " " + probe.target());
                    line.set("answer", answer(wire.exchange(probe)));
                    answers.add(line);
                }
            }
        }
        return answers;
    }

    private static String[] place(JsonNode all, JsonNode step, String operation) {
        return Json.text(all, "places", Json.text(step, operation)).split(" ");
    }

    private static Probe probe(JsonNode all, String name, JsonNode step, ScriptedWebhook webhook) {
        String operation = NO_FIELDS.stream().filter(step::has).findFirst().orElseThrow();
        String[] place = place(all, step, operation);
        String[] parts = place[0].split("/");
        ObjectNode body = Json.object();
        if (!operation.equals("merge")) {
            body.put("apiVersion", parts[1].equals("api") ? parts[2] : parts[2] + "/" + parts[3]).put("kind", place[1]);
            body.putObject("metadata").put("name", name);
        }
        step.path("metadata").properties()
                .forEach(field -> Json.child(body, "metadata").set(field.getKey(), field.getValue()));
        step.properties().stream().filter(field -> !NO_FIELDS.contains(field.getKey()))
                .forEach(field -> body.set(field.getKey(), field.getValue()));
        String text = body.toString().replace("\"conversion\":\"WEBHOOK\"", """
                "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                "clientConfig": %s}}""".formatted(webhook.client("/convert")));
        String query = "?fieldManager=" + Json.text(step, "as") + (step.has("query")
                ? "&" + Json.text(step, "query")
                : "");
        String object = place[0] + "/" + name + (step.has("sub") ? "/" + Json.text(step, "sub") : "");
        return switch (operation) {
            case "post" -> Probe.post(place[0] + query, text);
            case "apply" -> Probe.apply(object + query, text);
            case "merge" -> Probe.merge(object + query, text);
            case "put" -> Probe.put(object + query, text);
            default -> Probe.get(object);
        };
    }

    /** Version 1 of a Hook has the color in its specification, version 2 has it in the paint. */
    private static String converted(JsonNode request) {
        ObjectNode response = Json.object();
        response.putObject("result").put("status", "Success");
        for (JsonNode object : request.path("objects")) {
            ObjectNode copy = (ObjectNode) object.deepCopy();
            String version = Json.text(request, "desiredAPIVersion");
            ObjectNode spec = Json.child(copy, "spec");
            if (version.endsWith("v2") && spec.remove("color") instanceof JsonNode color) {
                Json.child(spec, "paint").set("color", color);
                if (color.asString().equals("broken")) {
                    response.putObject("result").put("status", "Failed").put("message", "the paint is broken");
                }
            } else if (version.endsWith("v1") && spec.remove("paint") instanceof ObjectNode paint
                    && paint.has("color")) {
                spec.set("color", paint.get("color"));
            }
            response.withArray("convertedObjects").add(copy.put("apiVersion", version));
        }
        return response.toString();
    }

    /** The fields, and who owns them, or the refusal; without times, and managers in the order of their names. */
    private static ObjectNode answer(RawHttp.Answer answer) {
        ObjectNode shown = Json.object().put("code", answer.code());
        JsonNode body = Json.read(answer.body());
        if (Json.text(body, "kind").equals("CustomResourceDefinition")) {
            return shown;
        }
        if (answer.code() >= 300) {
            shown.put("message", Json.text(body, "message").replaceAll("127.0.0.1:\\d+", "HOST"));
            body.path("details").path("causes").forEach(shown.putArray("causes")::add);
            return shown;
        }
        for (var field : body.properties()) {
            if (!List.of("kind", "metadata").contains(field.getKey())) {
                shown.set(field.getKey(), field.getValue());
            }
        }
        body.path("metadata").path("annotations").properties()
                .forEach(one -> shown.withObject("annotations").set(one.getKey(), one.getValue()));
        ArrayNode managers = shown.putArray("managedFields");
        body.path("metadata").path("managedFields").valueStream().map(entry -> (ObjectNode) entry)
                .peek(entry -> entry.remove("time"))
                .sorted(Comparator.comparing(entry -> Json.text(entry, "manager") + " " + entry))
                .forEach(managers::add);
        return shown;
    }
}
