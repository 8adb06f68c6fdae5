package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/** A user's changes of two ReplicaSets. The selector of the first one matches the pods of the second one, too. */
final class ReplicaSetsWorkload implements Workload {
    private final String name;
    private final List<Step> steps = new ArrayList<>();

    ReplicaSetsWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        String own = "\"app\": \"" + name + "\"";
        steps.add(create("one", random.nextInt(4), own, "creates a ReplicaSet"));
        steps.add(create("two", random.nextInt(4), own + ", \"of\": \"two\"",
                "creates a ReplicaSet whose pods the other one's selector matches"));
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String which = name + (random.nextBoolean() ? "-one" : "-two");
            int replicas = random.nextInt(6);
            steps.add(disrupted && random.nextInt(4) == 0
                    ? Step.disruption(name, random.nextBoolean())
                    : Step.patch("replicaset", which, "{\"spec\": {\"replicas\": " + replicas + "}}", "wants "
                            + replicas + " pods of " + which));
        }
    }

    private Step create(String which, int replicas, String selector, String sentence) {
        return Step.create("replicaset", """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {"matchLabels": {%s}}, "template": {"metadata":
                 {"labels": {"app": "%s", "of": "%s"}}, "spec": {"containers": [{"name": "app",
                  "image": "app:v1"}]}}}}""".formatted(name + "-" + which, replicas, selector, name, which), sentence);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Step> steps() {
        return steps;
    }

    @Override
    public Set<String> controllers() {
        return Set.of(ReplicaSetController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of("replicaset");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new ReplicaSetInvariants(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        return own(api).stream().allMatch(Api::isObserved);
    }

    private List<JsonNode> own(Api api) {
        return api.list("replicaset").stream().filter(r -> GoldenState.name(r).startsWith(name + "-")).toList();
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner);
        own(api).forEach(r -> lines.put("ReplicaSet " + GoldenState.name(r),
                DeploymentWorkload.lasting(r, true).toString()));
        return lines;
    }
}
