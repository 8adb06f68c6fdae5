package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** Makes the requests that kubectl makes, and returns kubectl's output. */
final class KubectlSteps {
    private static final String DEPLOYMENT = "deployment.kubernetes.io/";
    private static final Set<String> NOT_ROLLED_BACK = Set.of("kubectl.kubernetes.io/last-applied-configuration",
            DEPLOYMENT + "revision", DEPLOYMENT + "revision-history", DEPLOYMENT + "desired-replicas",
            DEPLOYMENT + "max-replicas", "deprecated.deployment.rollback.to");
    private final Api api;

    KubectlSteps(Api api) {
        this.api = api;
    }

    /** @return kubectl's output */
    String run(List<String> args, Instant now) {
        String target = args.stream().filter(a -> a.startsWith("deploy/")).findFirst().orElseThrow();
        String name = target.substring("deploy/".length());
        String option = args.getLast().contains("=") ? args.getLast().replaceAll(".*=", "") : "";
        String shown = "deployment.apps/" + name + " ";
        switch (args.get(0).equals("rollout") ? args.get(1) : args.get(0)) {
            case "scale" -> {
                patch(name + "/scale", "merge", "{\"spec\": {\"replicas\": " + option + "}}");
                return shown + "scaled";
            }
            case "pause" -> {
                patch(name, "strategic", "{\"spec\": {\"paused\": true}}");
                return shown + "paused";
            }
            case "resume" -> {
                patch(name, "strategic", "{\"spec\": {\"paused\": null}}");
                return shown + "resumed";
            }
            case "restart" -> {
                patch(name, "strategic", "{\"spec\": {\"template\": {\"metadata\": {\"annotations\": "
                        + "{\"kubectl.kubernetes.io/restartedAt\": \"" + now + "\"}}}}}");
                return shown + "restarted";
            }
            case "undo" -> {
                return undo(name, option.isEmpty() ? 0 : Long.parseLong(option));
            }
            case "history" -> {
                return history(name);
            }
            case "status" -> {
                for (JsonNode condition : api.get("deployment", name).path("status").path("conditions")) {
                    if (condition.path("reason").asString("").equals("ProgressDeadlineExceeded")) {
                        return "error: deployment \"" + name + "\" exceeded its progress deadline";
                    }
                }
                return "error: timed out waiting for the condition";
            }
            default -> throw new IllegalArgumentException("kubectl " + args);
        }
    }

    private void patch(String name, String type, String patch) {
        Api.expect(api.patch("deployment", name, type, Json.read(patch)));
    }

    /** The Deployment's ReplicaSets, by revision. */
    private List<JsonNode> revisions(JsonNode deployment) {
        List<JsonNode> owned = new ArrayList<>();
        for (JsonNode replicaSet : api.list("replicaset")) {
            for (JsonNode owner : replicaSet.path("metadata").path("ownerReferences")) {
                if (owner.path("uid").equals(deployment.path("metadata").path("uid"))) {
                    owned.add(replicaSet);
                }
            }
        }
        owned.sort(Comparator.comparingLong(KubectlSteps::revision));
        return owned;
    }

    private static long revision(JsonNode replicaSet) {
        return Long.parseLong(annotations(replicaSet).path(DEPLOYMENT + "revision").asString());
    }

    private static JsonNode annotations(JsonNode object) {
        return object.path("metadata").path("annotations");
    }

    private String history(String name) {
        StringBuilder text = new StringBuilder("deployment.apps/" + name + " \nREVISION  CHANGE-CAUSE");
        for (JsonNode replicaSet : revisions(api.get("deployment", name))) {
            text.append("\n").append(revision(replicaSet)).append("         ")
                    .append(annotations(replicaSet).path("kubernetes.io/change-cause").asString("<none>"));
        }
        return text.toString();
    }

    private String undo(String name, long to) {
        JsonNode deployment = api.get("deployment", name);
        List<JsonNode> revisions = revisions(deployment);
        if (to == 0 && revisions.size() < 2) {
            return "error: no rollout history found for deployment \"" + name + "\"";
        }
        JsonNode target = to == 0
                ? revisions.get(revisions.size() - 2)
                : revisions.stream().filter(r -> revision(r) == to).findFirst().orElse(null);
        if (target == null) {
            return "error: unable to find specified revision " + to + " in history";
        }
        ObjectNode template = (ObjectNode) target.path("spec").path("template").deepCopy();
        ((ObjectNode) template.path("metadata").path("labels")).remove("pod-template-hash");
        ObjectNode annotations = Json.object();
        annotations(deployment).properties().stream().filter(a -> NOT_ROLLED_BACK.contains(a.getKey()))
                .forEach(a -> annotations.set(a.getKey(), a.getValue()));
        annotations(target).properties().stream().filter(a -> !NOT_ROLLED_BACK.contains(a.getKey()))
                .forEach(a -> annotations.set(a.getKey(), a.getValue()));
        ArrayNode patch = (ArrayNode) Json.read("[{\"op\": \"replace\", \"path\": \"/spec/template\"}, "
                + "{\"op\": \"replace\", \"path\": \"/metadata/annotations\"}]");
        ((ObjectNode) patch.get(0)).set("value", template);
        ((ObjectNode) patch.get(1)).set("value", annotations);
        Api.expect(api.patch("deployment", name, "json", patch));
        return "deployment.apps/" + name + " rolled back";
    }
}
