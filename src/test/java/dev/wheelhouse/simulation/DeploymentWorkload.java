package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/**
 * A user's changes of one Deployment. At the end the Deployment is not paused and has an image that runs, so that its
 * final state does not depend on the times of the changes.
 */
final class DeploymentWorkload extends Workload {
    private static final String[] SURGES = {"1", "0", "2", "\"25%\"", "\"100%\"", "\"50%\""};
    private static final String[] UNAVAILABLES = {"1", "2", "\"25%\"", "0", "\"50%\""};

    private final Random random;
    private final String manifest;
    private boolean createdAgain;
    /** The images of the revisions, the newest last. */
    private final List<String> revisions = new ArrayList<>();
    private String image = "app:v1";
    private boolean paused;

    DeploymentWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(DeploymentController.NAME, ReplicaSetController.NAME);
        creates("deployment", "replicaset");
        this.random = random;
        boolean late = random.nextInt(4) == 0;
        manifest = """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "minReadySeconds": %d, "progressDeadlineSeconds": %d,
                 "strategy": %s, "selector": {"matchLabels": {"app": "%s"}}, "template": {"metadata":
                 {"labels": {"app": "%s"}}, "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}"""
                .formatted(name, random.nextInt(5), late ? 5 : 0, random.nextInt(4) == 0 ? 7 : 600,
                        strategy(random.nextInt(6) == 0), name, name);
        steps.add(Step.create("deployment", manifest, "creates a Deployment"));
        release();
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        end();
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new DeploymentInvariants(truth, history), ReplicaSetInvariants.of(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode deployment = api.find("deployment", name);
        if (deployment == null) {
            return true;
        }
        return Api.isObserved(deployment) && !ObjectFields.isDeleted(deployment)
                && (deployment.path("spec").path("paused").asBoolean(false) || hasItsReplicaSet(api, deployment));
    }

    private boolean hasItsReplicaSet(Api api, JsonNode deployment) {
        JsonNode revision = revision(deployment);
        return replicaSets(api).stream().anyMatch(r -> revision(r).equals(revision)
                && ObjectFields.image(r).equals(ObjectFields.image(deployment)));
    }

    private static JsonNode revision(JsonNode object) {
        return object.path("metadata").path("annotations").path("deployment.kubernetes.io/revision");
    }

    private List<JsonNode> replicaSets(Api api) {
        return api.list("replicaset").stream().filter(r -> Api.app(r.path("spec").path("template")).equals(name))
                .toList();
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner.replaceAll("-[^-]*$", ""));
        JsonNode deployment = api.find("deployment", name);
        if (deployment != null) {
            Map<String, String> values = lasting(deployment, false);
            if (createdAgain) {
                // When a Deployment is created again, it is random whether a ReplicaSet of its predecessor still has
                // the name.
                values.remove("status.collisionCount");
            }
            // A Recreate may be complete before or after its new ReplicaSet exists, so its name may be missing in the
            // message.
            values.computeIfPresent("cond.Progressing", (k, v) -> v.replaceAll(name + "-[0-9a-z]+", "X")
                    .replaceAll("(ReplicaSet|Deployment) .{1,9} has successfully", "It has successfully"));
            lines.put("Deployment " + name, values.toString());
        }
        for (JsonNode replicaSet : replicaSets(api)) {
            Map<String, String> values = lasting(replicaSet, true);
            lines.put("ReplicaSet " + (values.get("owners").equals("[]")
                    ? ObjectFields.name(replicaSet)
                    : "of " + name + " with image " + values.get("image")), values.toString());
        }
        return lines;
    }

    /** The fields of a Deployment or a ReplicaSet that do not depend on names and times. */
    static Map<String, String> lasting(JsonNode object, boolean replicaSet) {
        Map<String, String> values = new TreeMap<>(ObjectFields.projected(object, replicaSet));
        values.keySet().removeIf(k -> k.equals("selector") || k.equals("labels") || k.equals("templateLabels"));
        if ("0".equals(values.get("replicas"))) {
            values.keySet().removeIf(k -> replicaSet && k.endsWith("/desired-replicas"));
        }
        // The annotation depends on the strategy when the ReplicaSet was last resized.
        values.keySet().removeIf(k -> replicaSet && k.endsWith("/max-replicas"));
        return values;
    }

    private String strategy(boolean recreate) {
        String surge = SURGES[random.nextInt(SURGES.length)];
        String unavailable = surge.equals("0") ? "1" : UNAVAILABLES[random.nextInt(UNAVAILABLES.length)];
        return recreate
                ? "{\"type\": \"Recreate\", \"rollingUpdate\": null}"
                : "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxSurge\": " + surge + ", \"maxUnavailable\": "
                        + unavailable + "}}";
    }

    /** Makes the template a revision, unless the Deployment is paused. */
    private void release() {
        if (!paused) {
            revisions.remove(image);
            revisions.add(image);
        }
    }

    private void step(boolean disrupted) {
        int replicas = random.nextInt(random.nextInt(4) == 0 ? 10 : 6);
        switch (random.nextInt(disrupted ? 16 : 14)) {
            case 0, 1, 2 -> {
                image = "app:v" + (1 + random.nextInt(4));
                release();
                steps.add(patch(template(), "wants image " + image));
            }
            case 3, 4, 5 -> steps.add(patch("\"replicas\": " + replicas, "wants " + replicas + " pods"));
            case 6, 7 -> {
                image = "app:v" + (1 + random.nextInt(4));
                release();
                steps.add(patch("\"replicas\": " + replicas + ", " + template(), "wants " + replicas
                        + " pods of image " + image));
            }
            case 8 -> {
                image = SimulatedNodes.BAD_IMAGE;
                release();
                steps.add(patch(template(), "wants an image that does not start"));
                steps.add(patch("\"replicas\": " + replicas, "wants " + replicas + " pods in the middle of it"));
            }
            case 9, 10 -> {
                if (paused) {
                    resume();
                } else {
                    paused = true;
                    steps.add(patch("\"paused\": true", "pauses the rollout"));
                }
            }
            case 11 -> undo();
            case 12 ->
                steps.add(patch("\"replicas\": " + replicas + ", \"strategy\": " + strategy(random.nextBoolean()),
                        "changes the strategy and wants " + replicas + " pods"));
            case 13 -> createAgain(random.nextBoolean() ? "Orphan" : "Foreground");
            default -> steps.add(Step.disruption(name, random.nextBoolean()));
        }
    }

    private void resume() {
        paused = false;
        release();
        steps.add(patch("\"paused\": null", "resumes the rollout"));
    }

    private void undo() {
        if (!paused && revisions.size() > 1) {
            image = revisions.get(revisions.size() - 2);
            release();
            steps.add(new Step("takes the last rollout back", e -> new KubectlUndo(e.api()).run(name)));
        }
    }

    private void createAgain(String policy) {
        createdAgain = true;
        steps.add(Step.delete("deployment", name, policy, "deletes the Deployment with "
                + (policy.equals("Orphan") ? "its ReplicaSets left behind" : "all that is its own going first")));
        steps.add(Step.create("deployment", manifest, "creates it again"));
        if (policy.equals("Foreground")) {
            revisions.clear();
        }
        paused = false;
        image = "app:v1";
        release();
    }

    private void end() {
        if (image.equals(SimulatedNodes.BAD_IMAGE)) {
            image = "app:v5";
            release();
            steps.add(patch(template(), "wants image " + image));
        }
        if (paused) {
            resume();
        }
        if (random.nextInt(8) == 0) {
            steps.add(Step.delete("deployment", name, "Background", "deletes the Deployment"));
        }
    }

    private String template() {
        return "\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": \"" + image + "\"}]}}";
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("deployment", name, "{\"spec\": {" + spec + "}}", sentence);
    }
}
