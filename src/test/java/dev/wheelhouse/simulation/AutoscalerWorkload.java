package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.autoscaling.AutoscalerController;
import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/**
 * A Deployment that an autoscaler scales by a metric of a ConfigMap, which the user changes in steps of a whole pod's
 * share, so that the wanted size does not depend on the size before.
 */
final class AutoscalerWorkload extends Workload {
    private static final String METRIC = "metric.hollow.wheelhouse.dev/load";
    private static final int SHARE = 100;

    AutoscalerWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(AutoscalerController.NAME, DeploymentController.NAME, ReplicaSetController.NAME);
        creates("horizontalpodautoscaler", "deployment", "replicaset", "configmap");
        // An autoscaler looks every 15 s, and takes several looks for a large change.
        quietAfter(Duration.ofMinutes(4));
        int least = 1 + random.nextInt(2);
        steps.add(Step.create("configmap", "{\"metadata\": {\"name\": \"" + name + "\", \"annotations\": {\"" + METRIC
                + "\": \"" + SHARE * (1 + random.nextInt(5)) + "\"}}}", "creates a ConfigMap with a metric"));
        steps.add(Step.create("deployment", """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {"matchLabels": {"app": "%s"}}, "template": {"metadata": {"labels": {"app": "%s"}},
                 "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name,
                1 + random.nextInt(3), name, name), "creates a Deployment"));
        steps.add(Step.create("horizontalpodautoscaler", """
                {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "%s"},
                 "spec": {"minReplicas": %d, "maxReplicas": %d, "scaleTargetRef": {"apiVersion": "apps/v1",
                 "kind": "Deployment", "name": "%s"}, "behavior": {"scaleDown": {"stabilizationWindowSeconds": %d}},
                 "metrics": [{"type": "Object", "object": {"metric": {"name": "load"}, "describedObject":
                 {"apiVersion": "v1", "kind": "ConfigMap", "name": "%s"}, "target": {"type": "AverageValue",
                 "averageValue": "%d"}}}]}}""".formatted(name, least, least + random.nextInt(5), name,
                random.nextInt(4) * 20, name, SHARE), "creates an autoscaler"));
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            switch (random.nextInt(disrupted ? 7 : 6)) {
                case 0, 1, 2 -> {
                    int load = SHARE * random.nextInt(8);
                    steps.add(Step.patch("configmap", name, "{\"metadata\": {\"annotations\": {\"" + METRIC + "\": \""
                            + load + "\"}}}", "sees a load of " + load));
                }
                case 3 -> {
                    steps.add(Step.pause(Duration.ofSeconds(5 + random.nextInt(60))));
                }
                case 4 -> {
                    int most = 2 + random.nextInt(5);
                    steps.add(Step.patch("horizontalpodautoscaler", name, "{\"spec\": {\"minReplicas\": "
                            + (1 + random.nextInt(most)) + ", \"maxReplicas\": " + most + "}}", "changes the limits"));
                }
                case 5 -> steps.add(Step.patch("deployment", name, """
                        {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:v%d"}]}}}}"""
                        .formatted(1 + random.nextInt(3)), "wants another image"));
                default -> steps.add(Step.disruption(name, random.nextBoolean()));
            }
        }
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new AutoscalerInvariants(truth, history), new DeploymentInvariants(truth, history),
                ReplicaSetInvariants.of(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode deployment = api.find("deployment", name);
        return deployment == null || Api.isObserved(deployment);
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner.replaceAll("-[^-]*$", ""));
        JsonNode deployment = api.find("deployment", name);
        JsonNode autoscaler = api.find("horizontalpodautoscaler", name);
        if (deployment != null && autoscaler != null) {
            lines.put("Deployment", deployment.path("spec").path("replicas") + " available "
                    + deployment.path("status").path("availableReplicas"));
            lines.put("autoscaler", "current " + autoscaler.path("status").path("currentReplicas") + " desired "
                    + autoscaler.path("status").path("desiredReplicas"));
        }
        return lines;
    }
}
