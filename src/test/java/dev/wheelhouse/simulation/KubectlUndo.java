package dev.wheelhouse.simulation;

import java.util.Comparator;
import java.util.List;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** Makes the requests of {@code kubectl rollout undo} for a Deployment. */
record KubectlUndo(Api api) {
    private static final String DEPLOYMENT = "deployment.kubernetes.io/";
    private static final Set<String> NOT_ROLLED_BACK = Set.of("kubectl.kubernetes.io/last-applied-configuration",
            DEPLOYMENT + "revision", DEPLOYMENT + "revision-history", DEPLOYMENT + "desired-replicas",
            DEPLOYMENT + "max-replicas", "deprecated.deployment.rollback.to");

    /** The Deployment's ReplicaSets, by revision. */
    private List<JsonNode> revisions(JsonNode deployment) {
        return api.list("replicaset").stream()
                .filter(set -> set.path("metadata").path("ownerReferences").valueStream()
                        .anyMatch(owner -> owner.path("uid").equals(deployment.path("metadata").path("uid"))))
                .sorted(Comparator.comparingLong(
                        set -> Long.parseLong(annotations(set).path(DEPLOYMENT + "revision").asString())))
                .toList();
    }

    private static JsonNode annotations(JsonNode object) {
        return object.path("metadata").path("annotations");
    }

    /** Goes back to the last revision, if there is one. */
    void run(String name) {
        JsonNode deployment = api.get("deployment", name);
        List<JsonNode> revisions = revisions(deployment);
        if (revisions.size() < 2) {
            return;
        }
        JsonNode target = revisions.get(revisions.size() - 2);
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
    }
}
