package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/** A user's changes of a ReplicaSet and its budget, and evictions, which the budget may refuse. */
final class BudgetWorkload implements Workload {
    private static final List<String> BOUNDS = List.of("\"minAvailable\": 1, \"maxUnavailable\": null",
            "\"minAvailable\": \"50%\", \"maxUnavailable\": null", "\"minAvailable\": null, \"maxUnavailable\": 1",
            "\"minAvailable\": null, \"maxUnavailable\": \"40%\"");

    private final String name;
    private final List<Step> steps = new ArrayList<>();

    BudgetWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        steps.add(Step.create("replicaset", """
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "%1$s"}, "spec": {"replicas": %2$d,
                 "selector": {"matchLabels": {"app": "%1$s"}}, "template": {"metadata": {"labels": {"app": "%1$s"}},
                 "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name,
                1 + random.nextInt(4)), "creates a ReplicaSet"));
        steps.add(Step.create("poddisruptionbudget", """
                {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "%1$s"}, "spec": {%2$s,
                 "selector": {"matchLabels": {"app": "%1$s"}}}}""".formatted(name, bound(random)), "creates a budget"));
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            steps.add(change(random, disrupted));
        }
    }

    private static String bound(Random random) {
        return BOUNDS.get(random.nextInt(BOUNDS.size()));
    }

    private Step change(Random random, boolean disrupted) {
        if (disrupted && random.nextInt(4) == 0) {
            return Step.disruption(name, random.nextBoolean());
        }
        return switch (random.nextInt(3)) {
            case 0 -> Step.patch("replicaset", name, "{\"spec\": {\"replicas\": " + random.nextInt(5) + "}}",
                    "scales the ReplicaSet");
            case 1 -> Step.patch("poddisruptionbudget", name, "{\"spec\": {" + bound(random) + "}}",
                    "changes the budget");
            default -> new Step("evicts a pod of " + name, this::evict);
        };
    }

    private void evict(Environment environment) {
        String pod = environment.nodes().anyPod(name);
        if (pod != null) {
            Api.Answer answer = environment.api().call("POST", Api.path("pod", pod) + "/eviction", "application/json",
                    Json.read("{\"metadata\": {\"name\": \"" + pod + "\"}}"));
            if (answer.code() < 300) {
                environment.history().ends(pod);
            }
        }
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
        return List.of(new ReplicaSetInvariants(truth, history), new BudgetInvariants());
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode set = api.find("replicaset", name);
        JsonNode budget = api.find("poddisruptionbudget", name);
        return set != null && Api.isObserved(set) && (budget == null || Api.isObserved(budget));
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner);
        JsonNode budget = api.find("poddisruptionbudget", name);
        if (budget != null) {
            JsonNode status = budget.path("status");
            lines.put("PodDisruptionBudget " + name, status.path("disruptionsAllowed") + " of "
                    + status.path("currentHealthy") + ", wanted " + status.path("desiredHealthy") + " of "
                    + status.path("expectedPods") + ", to be deleted " + status.path("disruptedPods").size());
        }
        return lines;
    }
}
