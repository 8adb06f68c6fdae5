package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A user's changes of one object, determined by a seed. The controllers observe each change before the next one. */
record Workload(String kind, String manifest, boolean disrupted, List<Step> steps) {
    /**
     * One change.
     *
     * @param verb create, patch or delete; undo for the last rollout; kill or fail for one of the pods
     * @param sentence a description for the story
     */
    record Step(String verb, String name, String body, String sentence) {}

    static Workload of(long seed) {
        Random random = new Random(seed);
        boolean disrupted = random.nextInt(3) == 0;
        if (random.nextInt(4) == 0) {
            return replicaSets(random, disrupted);
        }
        DeploymentWorkload deployment = new DeploymentWorkload(random, disrupted);
        return new Workload("deployment", deployment.manifest(), disrupted, deployment.steps());
    }

    private static Workload replicaSets(Random random, boolean disrupted) {
        String manifest = """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {"matchLabels": {%s}}, "template": {"metadata":
                 {"labels": {"app": "rs", "of": "%s"}}, "spec": {"containers": [{"name": "app",
                  "image": "app:v1"}]}}}}""";
        List<Step> steps = new ArrayList<>();
        steps.add(
                new Step("create", "", manifest.formatted("two", random.nextInt(4), "\"app\": \"rs\", \"of\": \"two\"",
                        "two"), "creates the ReplicaSet two, whose pods the other one's selector matches"));
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String name = random.nextBoolean() ? "one" : "two";
            int replicas = random.nextInt(6);
            steps.add(disrupted && random.nextInt(4) == 0
                    ? disruption(random)
                    : patch(name, "{\"spec\": {\"replicas\": " + replicas + "}}", "wants " + replicas + " pods of "
                            + name));
        }
        return new Workload("replicaset", manifest.formatted("one", random.nextInt(4), "\"app\": \"rs\"", "one"),
                disrupted, steps);
    }

    static Step disruption(Random random) {
        return random.nextBoolean()
                ? new Step("kill", "", "", "deletes a pod")
                : new Step("fail", "", "", "has a node that evicts a pod");
    }

    static Step patch(String name, String body, String sentence) {
        return new Step("patch", name, body, sentence);
    }
}
