package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.deployment.DeploymentController;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/**
 * A Deployment whose pods a budget protects, while an administrator evicts them. Nothing else takes pods away, so an
 * eviction that leaves too few is the fault of the budget's controller.
 */
final class BudgetWorkload extends Workload {
    private final boolean disrupted;
    private final int least;

    BudgetWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(DeploymentController.NAME, ReplicaSetController.NAME);
        creates("deployment", "replicaset");
        // An eviction counts for two minutes if its pod stays.
        quietAfter(Duration.ofMinutes(3));
        this.disrupted = disrupted;
        int replicas = 2 + random.nextInt(4);
        least = 1 + random.nextInt(replicas);
        String limit = random.nextBoolean()
                ? "\"minAvailable\": " + least
                : "\"maxUnavailable\": " + (replicas - least);
        steps.add(Step.create("deployment", """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {"matchLabels": {"app": "%s"}}, "template": {"metadata": {"labels": {"app": "%s"}},
                 "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name, replicas, name,
                name), "creates a Deployment"));
        steps.add(Step.create("poddisruptionbudget", """
                {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "%s"}, "spec": {%s,
                 "selector": {"matchLabels": {"app": "%s"}}}}""".formatted(name, limit, name), "creates a budget"));
        int count = 3 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            steps.add(disrupted && random.nextInt(4) == 0
                    ? Step.disruption(name, random.nextBoolean())
                    : new Step("wants to evict a pod of " + name, this::evict));
        }
    }

    private void evict(Environment environment) {
        Api api = environment.api();
        String pod = environment.nodes().anyPod(name);
        if (pod == null) {
            return;
        }
        long ready = api.podsOf(name).stream()
                .filter(p -> ObjectFields.word(p).equals("ready") && !ObjectFields.name(p).equals(pod)).count();
        boolean wasReady = ObjectFields.word(api.get("pod", pod)).equals("ready");
        Api.Answer answer = api.evict(pod);
        if (answer.code() == 429) {
            return;
        }
        Api.expect(answer);
        environment.history().ends(pod);
        if (!disrupted && wasReady && ready < least) {
            throw new AssertionError("an eviction leaves " + ready + " ready pods, and the budget wants " + least);
        }
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new DeploymentInvariants(truth, history), ReplicaSetInvariants.of(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        return api.list("deployment").stream().allMatch(Api::isObserved)
                && api.list("poddisruptionbudget").stream().allMatch(Api::isObserved);
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner.replaceAll("-[^-]*$", ""));
        JsonNode budget = api.find("poddisruptionbudget", name);
        if (budget != null) {
            JsonNode status = budget.path("status");
            // The pod garbage collector may or may not have taken the evicted pods, and the budget counts those left.
            long failed = api.podsOf(name).stream().filter(p -> ObjectFields.word(p).equals("failed")).count();
            lines.put("budget", "allows " + status.path("disruptionsAllowed") + " healthy "
                    + status.path("currentHealthy") + " of " + (status.path("expectedPods").asInt(0) - failed)
                    + " and those that failed, wanted " + status.path("desiredHealthy"));
        }
        return lines;
    }
}
