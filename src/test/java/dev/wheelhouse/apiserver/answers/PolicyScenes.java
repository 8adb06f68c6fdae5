package dev.wheelhouse.apiserver.answers;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;

/** The requests of {@code policies/scenes.yaml}, with what the scenes leave out. */
final class PolicyScenes {
    private static final String GROUP = "admissionregistration.k8s.io/v1";
    private static final List<String> OPERATIONS = List.of("post", "apply", "merge", "get", "delete");
    private static final List<String> NO_FIELDS = List.of("post", "apply", "name", "query", "metadata", "generateName",
            "apiVersion");
    private static final Map<String, String> PATHS = Map.ofEntries(
            Map.entry("ConfigMap", "/api/v1/namespaces/default/configmaps"),
            Map.entry("Pod", "/api/v1/namespaces/default/pods"), Map.entry("Namespace", "/api/v1/namespaces"),
            Map.entry("PersistentVolume", "/api/v1/persistentvolumes"),
            Map.entry("Deployment", "/apis/apps/v1/namespaces/default/deployments"),
            Map.entry("PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses"),
            Map.entry("HorizontalPodAutoscaler", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"),
            Map.entry("CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
            Map.entry("Shop", "/apis/scenes.example.com/v1/namespaces/default/shops"),
            Map.entry("MutatingAdmissionPolicy", "/apis/" + GROUP + "/mutatingadmissionpolicies"),
            Map.entry("MutatingAdmissionPolicyBinding", "/apis/" + GROUP + "/mutatingadmissionpolicybindings"));

    private PolicyScenes() {}

    /** @param setup whether it makes policies, or what they need; those are sent before all others */
    record Request(String scene, boolean setup, Probe probe) {}

    /** All requests, in the order in which they are sent. */
    static List<Request> all() {
        List<Request> setups = new ArrayList<>();
        List<Request> others = new ArrayList<>();
        for (JsonNode scene : Resources.yaml("/policies/scenes.yaml")) {
            String name = Json.text(scene, "scene");
            scene.path("setup").forEach(step -> setups.add(new Request(name, true, probe("", step))));
            int number = 1;
            for (JsonNode policy : scene.path("policies")) {
                boolean several = scene.path("policies").size() > 1;
                policy(name, several ? name + "-" + number++ : name, policy, setups);
            }
            scene.path("send").forEach(step -> others.add(new Request(name, false, probe(name, step))));
        }
        setups.addAll(others);
        return setups;
    }

    private static void policy(String scene, String name, JsonNode policy, List<Request> requests) {
        ObjectNode spec = Json.object();
        if (policy.has("raw")) {
            spec.setAll((ObjectNode) policy.get("raw"));
        } else {
            ObjectNode match = (ObjectNode) Json.read("""
                    {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"],
                     "resources": ["*"]}]}""");
            match.putObject("objectSelector").putObject("matchLabels").put("scene", scene);
            merge(match, policy.path("match"));
            spec.put("reinvocationPolicy", "Never").set("matchConstraints", match);
            ArrayNode mutations = spec.putArray("mutations");
            for (JsonNode mutation : policy.has("mutations") ? policy.get("mutations") : Json.array().add(policy)) {
                boolean json = mutation.has("json");
                mutations.addObject().put("patchType", json ? "JSONPatch" : "ApplyConfiguration")
                        .putObject(json ? "jsonPatch" : "applyConfiguration")
                        .put("expression", Json.text(mutation, json ? "json" : "apply"));
            }
            merge(spec, policy.path("spec"));
        }
        requests.add(new Request(scene, true, create("MutatingAdmissionPolicy", name, spec)));
        ObjectNode binding = Json.object().put("policyName", name);
        merge(binding, policy.path("binding"));
        requests.add(new Request(scene, true, create("MutatingAdmissionPolicyBinding", name, binding)));
    }

    private static void merge(ObjectNode fields, JsonNode more) {
        more.properties().forEach(field -> fields.set(field.getKey(), field.getValue()));
    }

    private static Probe create(String kind, String name, ObjectNode spec) {
        ObjectNode object = Json.object().put("apiVersion", GROUP).put("kind", kind);
        object.putObject("metadata").put("name", name);
        object.set("spec", spec);
        return Probe.post(path(kind), object.toString());
    }

    private static String path(String kind) {
        return Objects.requireNonNull(PATHS.get(kind), kind);
    }

    private static Probe probe(String scene, JsonNode step) {
        String operation = OPERATIONS.stream().filter(step::has).findFirst().orElseThrow();
        String kind = Json.text(step, operation);
        String path = path(kind);
        String name = step.has("name") ? Json.text(step, "name") : scene;
        String object = path + "/" + name + (step.has("subresource") ? "/" + Json.text(step, "subresource") : "");
        String query = step.has("query") ? "?" + Json.text(step, "query") : "";
        return switch (operation) {
            case "post" -> Probe.post(path + query, body(scene, name, kind, path, step));
            case "apply" -> Probe.apply(object + "?fieldManager=me", body(scene, name, kind, path, step));
            case "merge" -> Probe.merge(object + query, step.get("body").toString());
            case "get" -> Probe.get(object);
            default -> Probe.delete(object);
        };
    }

    private static String body(String scene, String name, String kind, String path, JsonNode step) {
        String[] parts = path.split("/");
        ObjectNode body = Json.object()
                .put("apiVersion", parts[1].equals("api") ? parts[2] : parts[2] + "/" + parts[3]).put("kind", kind);
        ObjectNode metadata = body.putObject("metadata");
        merge(metadata, step.path("metadata"));
        if (step.has("generateName")) {
            metadata.set("generateName", step.get("generateName"));
        } else {
            metadata.put("name", name);
        }
        if (!scene.isEmpty()) {
            Json.child(metadata, "labels").put("scene", scene);
        }
        step.properties().stream().filter(field -> !NO_FIELDS.contains(field.getKey()))
                .forEach(field -> body.set(field.getKey(), field.getValue()));
        return body.toString();
    }

    /** An answer as the recording has it: without what differs between two runs. */
    static ObjectNode answer(Request request, RawHttp.Answer answer) {
        ObjectNode shown = Json.object().put("code", answer.code());
        if (!answer.headers("warning").isEmpty()) {
            answer.headers("warning").forEach(shown.putArray("warnings")::add);
        }
        if (request.setup() && answer.code() == 201) {
            return shown;
        }
        ObjectNode body = (ObjectNode) Json.read(
                answer.body().getBytes(StandardCharsets.UTF_8).length == 0 ? "{}" : answer.body());
        if (body.get("metadata") instanceof ObjectNode metadata) {
            metadata.remove(List.of("uid", "resourceVersion", "creationTimestamp", "managedFields"));
        }
        if (body.path("details") instanceof ObjectNode details) {
            details.remove("uid");
        }
        shown.set("body", Json.read(body.toString().replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME")));
        return shown;
    }
}
