package dev.wheelhouse.controllers.deployment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;

/** Applies users' recorded steps, by API or kubectl, to a {@link World}. */
final class UserSteps {
    private final World world;
    private final UnaryOperator<String> nameHere;

    /** @param nameHere maps the recorded name of a ReplicaSet to its name in this world */
    UserSteps(World world, UnaryOperator<String> nameHere) {
        this.world = world;
        this.nameHere = nameHere;
    }

    void perform(JsonNode step) {
        switch (step.get("op").stringValue()) {
            case "create" -> create(step.get("manifest"));
            case "patch" -> patch(step.get("kind").stringValue(), step.get("name").stringValue(), step.get("patch"));
            case "delete" -> delete(step.get("kind").stringValue(), step.get("name").stringValue(),
                    step.get("options"));
            case "kubectl" -> kubectl(step);
            case "pod-status" -> step.get("pods").forEach(p -> {
                World.Pod pod = world.pod(p.stringValue());
                pod.phase = step.get("phase").stringValue();
                pod.readySince = null;
            });
            default -> throw new IllegalArgumentException("step: " + step);
        }
    }

    private void create(JsonNode manifest) {
        switch (manifest.get("kind").stringValue()) {
            case "Deployment" -> world.create(ModelJson.read(manifest, V1Deployment.class));
            case "ReplicaSet" -> {
                V1ReplicaSet replicaSet = ModelJson.read(manifest, V1ReplicaSet.class);
                replicaSet.getMetadata().setName(nameHere.apply(replicaSet.getMetadata().getName()));
                world.create(replicaSet);
            }
            default -> throw new IllegalArgumentException("create: " + manifest);
        }
    }

    private void patch(String kind, String name, JsonNode patch) {
        if (kind.equals("replicaset")) {
            V1ReplicaSet before = world.replicaSet(nameHere.apply(name));
            world.put(ModelJson.read(patched(ModelJson.tree(before), patch), V1ReplicaSet.class));
        } else {
            // A patch of the scale subresource changes the object in the same way.
            V1Deployment before = world.deployment(name.replace("/scale", ""));
            world.put(ModelJson.read(patched(ModelJson.tree(before), patch), V1Deployment.class));
        }
    }

    private static JsonNode patched(JsonNode target, JsonNode patch) {
        if (patch.isObject()) {
            return merge(target, patch);
        }
        for (JsonNode operation : patch) {
            String path = operation.get("path").stringValue();
            int slash = path.lastIndexOf('/');
            ((ObjectNode) target.at(path.substring(0, slash))).set(path.substring(slash + 1), operation.get("value"));
        }
        return target;
    }

    private static JsonNode merge(JsonNode target, JsonNode patch) {
        if (!patch.isObject()) {
            return patch;
        }
        ObjectNode merged = target.isObject() ? (ObjectNode) target : ModelJson.mapperForModels().createObjectNode();
        for (Map.Entry<String, JsonNode> e : patch.properties()) {
            if (e.getValue().isNull()) {
                merged.remove(e.getKey());
            } else {
                merged.set(e.getKey(), merge(merged.path(e.getKey()), e.getValue()));
            }
        }
        return merged;
    }

    private void delete(String kind, String name, JsonNode options) {
        switch (kind) {
            case "deployment" -> world.deleteDeployment(name,
                    options.path("propagationPolicy").asString("").equals("Orphan"));
            case "replicaset" -> world.deleteReplicaSet(nameHere.apply(name));
            case "pod" -> world.deletePod(world.pod(name));
            default -> throw new IllegalArgumentException("delete " + kind);
        }
    }

    private void kubectl(JsonNode step) {
        if (step.get("rc").intValue() != 0) {
            return;
        }
        List<String> args = step.get("args").valueStream().map(JsonNode::stringValue).toList();
        switch (args.get(0).equals("rollout") ? args.get(1) : args.get(0)) {
            case "pause" -> edit(d -> d.getSpec().setPaused(true));
            case "resume" -> edit(d -> d.getSpec().setPaused(null));
            case "scale" -> edit(d -> d.getSpec()
                    .setReplicas(Integer.valueOf(args.getLast().substring("--replicas=".length()))));
            case "restart" -> edit(d -> d.getSpec().getTemplate().getMetadata()
                    .putAnnotationsItem("kubectl.kubernetes.io/restartedAt", world.clock.now().toString()));
            case "undo" -> undo(args.getLast().startsWith("--to-revision=")
                    ? Long.parseLong(args.getLast().substring("--to-revision=".length()))
                    : 0);
            case "history", "status" -> {
            }
            default -> throw new IllegalArgumentException("kubectl " + args);
        }
    }

    private void edit(java.util.function.Consumer<V1Deployment> change) {
        V1Deployment deployment = ModelJson.copy(world.deployments.values().iterator().next());
        change.accept(deployment);
        world.put(deployment);
    }

    /** Restores template and annotations as {@code kubectl rollout undo} does, with its own patch. */
    private void undo(long asked) {
        List<ReplicaSetDraft> all = world.replicaSets.values().stream().map(ReplicaSetDraft::existing).toList();
        List<Long> revisions = all.stream().map(Revisions::of).map(OptionalLong::getAsLong).sorted().toList();
        long revision = asked != 0 ? asked : revisions.get(revisions.size() - 2);
        V1ReplicaSet target = all.stream().filter(r -> Revisions.of(r).getAsLong() == revision).findFirst()
                .orElseThrow().object();
        edit(d -> {
            d.getSpec().setTemplate(PodTemplates.withoutHash(target.getSpec().getTemplate()));
            Map<String, String> annotations = new HashMap<>(Annotations.of(d.getMetadata()));
            annotations.keySet().removeIf(Annotations::isCopied);
            Annotations.of(target.getMetadata()).forEach((k, v) -> {
                if (Annotations.isCopied(k)) {
                    annotations.put(k, v);
                }
            });
            d.getMetadata().setAnnotations(annotations);
        });
    }
}
