package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/**
 * A user's changes of an autoscaled ReplicaSet: of the load, which the pods share, and of the bounds. The load is an
 * external metric, so that the replicas at the end depend on nothing else.
 */
final class AutoscalerWorkload implements Workload {
    /** The stabilization window for scaling down. */
    static final int WINDOW_SECONDS = 40;
    /** The load of one replica. */
    private static final int SHARE = 10;

    private final String name;
    private final List<Step> steps = new ArrayList<>();
    private int least;
    private int most;
    private int load;
    private int looks;

    AutoscalerWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        bounds(random);
        int first = random.nextInt(60);
        steps.add(Step.create("replicaset", """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "%1$s"}, "spec": {"replicas": %2$d,
                 "selector": {"matchLabels": {"app": "%1$s"}}, "template": {"metadata": {"labels": {"app": "%1$s"}},
                  "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name,
                1 + random.nextInt(4)), "creates a ReplicaSet"));
        steps.add(load(first));
        steps.add(Step.create("horizontalpodautoscaler", """
                {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "%1$s"},
                 "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "%1$s"},
                  "minReplicas": %2$d, "maxReplicas": %3$d, "metrics": [{"type": "External", "external": {"metric":
                   {"name": "%1$s"}, "target": {"type": "AverageValue", "averageValue": "%4$d"}}}],
                  "behavior": {"scaleDown": {"stabilizationWindowSeconds": %5$d}}}}""".formatted(name, least, most,
                SHARE, WINDOW_SECONDS), "creates an autoscaler"));
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int seconds = 5 + random.nextInt(50);
            steps.add(new Step("waits " + seconds + " s", e -> e.clock().advance(Duration.ofSeconds(seconds))));
            if (random.nextInt(4) == 0) {
                bounds(random);
                int lower = least;
                int upper = most;
                steps.add(new Step("wants " + lower + " to " + upper + " replicas", e -> Api.expect(e.api().patch(
                        "horizontalpodautoscaler", name, "merge", Json.read("{\"spec\": {\"minReplicas\": " + lower
                                + ", \"maxReplicas\": " + upper + "}}")))));
            } else {
                steps.add(disrupted && random.nextInt(4) == 0
                        ? Step.disruption(name, random.nextBoolean())
                        : load(random.nextInt(90)));
            }
        }
    }

    private void bounds(Random random) {
        least = 1 + random.nextInt(3);
        most = least + random.nextInt(6);
    }

    private Step load(int amount) {
        load = amount;
        return new Step("has a load of " + amount, e -> Api.expect(e.api().patch("namespace", Simulation.NAMESPACE,
                "merge", Json.read("{\"metadata\": {\"annotations\": {\"external-metric.hollow.wheelhouse.dev/" + name
                        + "\": \"" + amount + "\"}}}"))));
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
        return Set.of(ReplicaSetController.NAME, AutoscalerController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of("replicaset", "horizontalpodautoscaler");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new ReplicaSetInvariants(truth, history), new AutoscalerInvariants(truth));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode set = api.find("replicaset", name);
        return set == null || Api.isObserved(set);
    }

    /** The replicas that the last load asks for, within the last bounds and the tolerance. */
    private boolean isRight(int replicas) {
        int wanted = Math.clamp((load + SHARE - 1) / SHARE, least, most);
        double ratio = (double) load / SHARE / replicas;
        return replicas == wanted || replicas >= least && replicas <= most && ratio >= 0.9 && ratio <= 1.1;
    }

    /** The state changes with each look until the autoscaler has come to rest, because its windows take a while. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode set = api.find("replicaset", name);
        boolean ended = set == null || api.find("horizontalpodautoscaler", name) == null;
        if (!ended) {
            int replicas = set.at("/spec/replicas").asInt(1);
            boolean done = isRight(replicas) && set.at("/status/replicas").asInt(0) == replicas;
            lines.put("autoscaler", done ? "has scaled for its load" : "has not come to rest, look " + ++looks);
        }
        return lines;
    }
}
