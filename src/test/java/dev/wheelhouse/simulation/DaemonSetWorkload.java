package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.daemonset.DaemonSetController;

/** A user's changes of a DaemonSet and of nodes, which come, and become selected or not. */
final class DaemonSetWorkload implements Workload {
    private static final List<String> STRATEGIES = List.of(
            "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": 1, \"maxSurge\": 0}}",
            "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": \"100%\", \"maxSurge\": 0}}",
            "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": 0, \"maxSurge\": 1}}");
    private static final String ON_DELETE = "{\"type\": \"OnDelete\", \"rollingUpdate\": null}";

    private final String name;
    private final List<Step> steps = new ArrayList<>();

    DaemonSetWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        steps.add(Step.create("daemonset", """
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "%1$s"}, "spec": {
                 "revisionHistoryLimit": 2, "updateStrategy": %2$s, "selector": {"matchLabels": {"app": "%1$s"}},
                 "template": {"metadata": {"labels": {"app": "%1$s"}}, "spec": {"containers": [{"name": "app",
                  "image": "app:v1"}]}}}}""".formatted(name, strategy(random)), "creates a DaemonSet"));
        int nodes = 1 + random.nextInt(3);
        for (int i = 0; i < nodes; i++) {
            String node = name + "-node-" + i;
            steps.add(new Step("adds the node " + node, e -> e.nodes().add(node, "{}")));
        }
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            steps.add(change(i, random, name + "-node-" + random.nextInt(nodes), disrupted));
        }
        steps.add(patch("{\"updateStrategy\": " + strategy(random) + "}", "ends with a rolling update"));
    }

    private static String strategy(Random random) {
        return STRATEGIES.get(random.nextInt(STRATEGIES.size()));
    }

    private Step change(int i, Random random, String node, boolean disrupted) {
        if (disrupted && random.nextInt(4) == 0) {
            return Step.disruption(name, random.nextBoolean());
        }
        return switch (random.nextInt(6)) {
            case 0 -> Step.patch("node", node,
                    "{\"spec\": {\"taints\": [{\"key\": \"x\", \"effect\": \"NoExecute\"}]}}", "taints " + node);
            case 1 -> Step.patch("node", node, "{\"spec\": {\"taints\": null}}", "has no taint on " + node);
            case 2 -> patch("{\"updateStrategy\": " + ON_DELETE + "}", "wants OnDelete");
            case 3 -> patch("{\"updateStrategy\": " + strategy(random) + "}", "wants a rolling update");
            default -> patch("{\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": \"app:v"
                    + (2 + random.nextInt(3)) + "\"}]}}}", "changes the image, change " + i);
        };
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("daemonset", name, "{\"spec\": " + spec + "}", sentence);
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
        return Set.of(DaemonSetController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of("daemonset", "controllerrevision");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new DaemonSetInvariants(truth, history));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode set = api.find("daemonset", name);
        return set != null && Api.isObserved(set);
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        for (JsonNode pod : api.podsOf(name)) {
            lines.merge("pods of " + name + " on " + GoldenState.text(pod.path("spec"), "nodeName"),
                    GoldenState.text(pod.path("spec").path("containers").path(0), "image") + " "
                            + GoldenState.word(pod),
                    (one, other) -> one + ", " + other);
        }
        api.list("controllerrevision").stream().filter(r -> GoldenState.name(r).startsWith(name + "-"))
                .forEach(r -> lines.put("revision of " + name + " "
                        + r.at("/data/spec/template/spec/containers/0/image").asString(""),
                        r.path("revision").toString()));
        JsonNode set = api.find("daemonset", name);
        lines.put("DaemonSet " + name, set == null ? "gone" : set.path("status").toString());
        return lines;
    }
}
