package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.wheelhouse.controllers.replicaset.ReplicaSetController;

/**
 * A user's changes of two ReplicaSets or ReplicationControllers. The selector of the first one matches the pods of the
 * second one, too.
 */
final class ReplicaSetsWorkload extends Workload {
    private final String kind;

    ReplicaSetsWorkload(String name, Random random, boolean disrupted) {
        super(name);
        kind = random.nextInt(3) == 0 ? "ReplicationController" : "ReplicaSet";
        needs(kind.equals("ReplicaSet") ? ReplicaSetController.NAME : ReplicaSetController.REPLICATION_CONTROLLERS);
        creates(kind);
        String own = "\"app\": \"" + name + "\"";
        steps.add(create("one", random.nextInt(4), own, "creates a " + kind));
        steps.add(create("two", random.nextInt(4), own + ", \"of\": \"two\"",
                "creates a " + kind + " whose pods the other one's selector matches"));
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String which = name + (random.nextBoolean() ? "-one" : "-two");
            int replicas = random.nextInt(6);
            steps.add(disrupted && random.nextInt(4) == 0
                    ? Step.disruption(name, random.nextBoolean())
                    : Step.patch(kind, which, "{\"spec\": {\"replicas\": " + replicas + "}}", "wants "
                            + replicas + " pods of " + which));
        }
    }

    private Step create(String which, int replicas, String selector, String sentence) {
        boolean set = kind.equals("ReplicaSet");
        return Step.create(kind, """
                {"apiVersion": "%s", "kind": "%s", "metadata": {"name": "%s"}, "spec": {"replicas": %d,
                 "selector": {%s}, "template": {"metadata":
                 {"labels": {"app": "%s", "of": "%s"}}, "spec": {"containers": [{"name": "app",
                  "image": "app:v1"}]}}}}""".formatted(set ? "apps/v1" : "v1", kind, name + "-" + which, replicas,
                set ? "\"matchLabels\": {" + selector + "}" : selector, name, which), sentence);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(kind.equals("ReplicaSet")
                ? ReplicaSetInvariants.of(truth, history)
                : ReplicaSetInvariants.ofControllers(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        return own(api, kind).stream().allMatch(Api::isObserved);
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = PodCounts.of(api, name, owner -> owner);
        own(api, kind).forEach(r -> lines.put(kind + " " + ObjectFields.name(r),
                DeploymentWorkload.lasting(r, true).toString()));
        return lines;
    }
}
