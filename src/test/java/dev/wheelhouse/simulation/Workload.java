package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What a user does, drawn from a seed: one object, and a few changes of it, each seen by the controllers before the next. */
record Workload(String kind, String manifest, boolean recreate, boolean disrupted, List<Step> steps) {
    /**
     * One change.
     *
     * @param verb patch or delete; kill for one of the pods
     */
    record Step(String verb, String name, String body, String sentence) {}

    static Workload of(long seed) {
        Random random = new Random(seed);
        boolean disrupted = random.nextInt(3) == 0;
        return random.nextInt(4) == 0 ? replicaSets(random, disrupted) : deployment(random, disrupted);
    }

    private static Workload deployment(Random random, boolean disrupted) {
        boolean recreate = random.nextInt(6) == 0;
        String[] surges = {"1", "0", "2", "\"25%\"", "\"100%\"", "\"50%\""};
        String[] unavailables = {"1", "2", "\"25%\"", "0", "\"50%\""};
        String surge = surges[random.nextInt(surges.length)];
        String unavailable = surge.equals("0") ? "1" : unavailables[random.nextInt(unavailables.length)];
        String strategy = recreate
                ? "{\"type\": \"Recreate\"}"
                : "{\"rollingUpdate\": {\"maxSurge\": " + surge + ", \"maxUnavailable\": " + unavailable + "}}";
        String manifest = """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": %d,
                 "strategy": %s, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata":
                 {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}"""
                .formatted(random.nextInt(5), strategy);
        List<Step> steps = new ArrayList<>();
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            int image = 1 + random.nextInt(4);
            int replicas = random.nextInt(6);
            steps.add(switch (random.nextInt(disrupted ? 6 : 5)) {
                case 0, 1 -> patch("web", "{\"spec\": {\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", "
                        + "\"image\": \"app:v" + image + "\"}]}}}}", "wants image app:v" + image);
                case 2, 3 ->
                    patch("web", "{\"spec\": {\"replicas\": " + replicas + "}}", "wants " + replicas + " pods");
                case 4 -> patch("web", "{\"spec\": {\"replicas\": " + replicas + ", \"template\": {\"spec\": "
                        + "{\"containers\": [{\"name\": \"app\", \"image\": \"app:v" + image + "\"}]}}}}",
                        "wants " + replicas + " pods of image app:v" + image);
                default -> new Step("kill", "", "", "deletes a pod");
            });
        }
        if (random.nextInt(8) == 0) {
            steps.add(new Step("delete", "web", "{\"propagationPolicy\": \"Background\"}", "deletes the Deployment"));
        }
        return new Workload("deployment", manifest, recreate, disrupted, steps);
    }

    private static Workload replicaSets(Random random, boolean disrupted) {
        String manifest = """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {"matchLabels": {%s}}, "template": {"metadata":
                 {"labels": {"app": "rs", "of": "%s"}}, "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""";
        List<Step> steps = new ArrayList<>();
        steps.add(
                new Step("create", "", manifest.formatted("two", random.nextInt(4), "\"app\": \"rs\", \"of\": \"two\"",
                        "two"), "creates the ReplicaSet two, whose pods the other one's selector matches"));
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String name = random.nextBoolean() ? "one" : "two";
            int replicas = random.nextInt(6);
            steps.add(disrupted && random.nextInt(4) == 0
                    ? new Step("kill", "", "", "deletes a pod")
                    : patch(name, "{\"spec\": {\"replicas\": " + replicas + "}}", "wants " + replicas + " pods of "
                            + name));
        }
        return new Workload("replicaset", manifest.formatted("one", random.nextInt(4), "\"app\": \"rs\"", "one"), false,
                disrupted, steps);
    }

    private static Step patch(String name, String body, String sentence) {
        return new Step("patch", name, body, sentence);
    }
}
