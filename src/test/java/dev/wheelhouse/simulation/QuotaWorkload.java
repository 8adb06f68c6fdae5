package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * Pods of a priority class that a quota limits. The user creates as many as the server lets in, deletes some, and
 * changes the limit; some pods end by themselves. The pods of other workloads are not in the quota's scope.
 */
final class QuotaWorkload extends Workload {
    static final String PRIORITY_CLASS = "system-node-critical";

    private int pods;
    private @Nullable QuotaInvariants invariants;

    QuotaWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(QuotaController.NAME);
        creates("resourcequota");
        // All quotas are counted every five minutes.
        quietAfter(Duration.ofMinutes(6));
        steps.add(Step.create("resourcequota", """
                {"metadata": {"name": "%s"}, "spec": {"hard": {"pods": "%d", "count/pods": "90"}, "scopeSelector":
                 {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["%s"]}]}}}"""
                .formatted(name, 1 + random.nextInt(4), PRIORITY_CLASS), "creates a quota"));
        int count = 8 + random.nextInt(10);
        for (int i = 0; i < count; i++) {
            String pod = name + "-" + random.nextInt(pods + 1);
            int limit = random.nextInt(6);
            steps.add(switch (random.nextInt(8)) {
                case 0 -> Step.patch("resourcequota", name, "{\"spec\": {\"hard\": {\"pods\": \"" + limit + "\"}}}",
                        "sets the limit to " + limit);
                case 1, 2, 3 -> Step.remove("pod", pod);
                default -> create(name + "-" + pods++, random.nextBoolean() ? "succeeds" : "runs");
            });
        }
    }

    private Step create(String pod, String fate) {
        return new Step("wants to create the pod " + pod + ", which " + fate, e -> {
            Api.Answer answer = e.api().tryToCreate("pod", """
                    {"metadata": {"name": "%s", "labels": {"app": "%s", "fate": "%s"}}, "spec": {"restartPolicy":
                     "Never", "priorityClassName": "%s", "containers": [{"name": "app", "image": "app:v1"}]}}"""
                    .formatted(pod, name, fate, PRIORITY_CLASS));
            if (answer.code() == 403) {
                return;
            }
            Api.expect(answer);
            refuseExcess(e.api());
        });
    }

    /** A pod that the server let in exceeds the limit only by those that the controller's last count did not know. */
    private void refuseExcess(Api api) {
        JsonNode hard = api.get("resourcequota", name).path("status").path("hard");
        long live = api.podsOf(name).stream().filter(pod -> ObjectFields.word(pod).equals("ready")
                || ObjectFields.word(pod).equals("pending")).count();
        long unseen = invariants == null ? 0 : invariants.unseen();
        if (hard.has("pods") && live > hard.path("pods").asLong() + unseen) {
            throw new AssertionError("the server let in " + live + " pods, and the quota has " + hard.path("pods")
                    + " beside " + unseen + " that the controller had not seen");
        }
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        invariants = new QuotaInvariants(truth, name);
        return List.of(invariants);
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        PodChange start = environment.nodes().nextOfService(pod, calm);
        boolean ends = pod.path("metadata").path("labels").path("fate").asString("").equals("succeeds")
                && !ObjectFields.text(pod.path("status"), "phase").equals("Succeeded");
        return start != null || !ends ? start : PodChange.SUCCEEDED;
    }

    @Override
    public boolean isSeen(Api api) {
        return api.list("resourcequota").stream().filter(quota -> ObjectFields.name(quota).equals(name))
                .allMatch(quota -> quota.path("spec").path("hard").equals(quota.path("status").path("hard")));
    }

    /** {@inheritDoc} Which pods were let in depends on the time. {@link QuotaInvariants#atEnd} judges their number. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode quota = api.find("resourcequota", name);
        if (quota != null) {
            lines.put("quota", "limits " + quota.path("status").path("hard"));
        }
        return lines;
    }
}
