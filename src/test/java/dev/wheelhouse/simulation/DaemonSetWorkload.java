package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.daemonset.DaemonSetController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;

/**
 * A user's changes of one DaemonSet, and of the nodes that its selector matches: they come and go, lose and get the
 * label, and get taints that nobody tolerates. At the end it rolls out to all pods.
 */
final class DaemonSetWorkload extends Workload {
    private static final String EVICTING = "{\"taints\": [{\"key\": \"example.com/out\", \"effect\": \"NoExecute\"}]}";

    private final Random random;
    private int nodes;
    private int creations;
    private String image = "app:v1";

    DaemonSetWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(DaemonSetController.NAME, PodGarbageCollector.NAME);
        creates("daemonset", "controllerrevision");
        // Pods of nodes that are gone are collected within a minute and a half.
        quietAfter(Duration.ofMinutes(2));
        this.random = random;
        steps.add(addNode());
        steps.add(create());
        steps.add(addNode());
        int count = 3 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        if (image.equals(SimulatedNodes.BAD_IMAGE)) {
            image("app:v5");
        }
        steps.add(patch("\"updateStrategy\": {\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": 1,"
                + " \"maxSurge\": 0}}", "rolls out to all pods"));
        if (random.nextInt(8) == 0) {
            steps.add(Step.delete("daemonset", name, "Background", "deletes the DaemonSet"));
        }
    }

    /**
     * Each creation begins with a higher template generation than its predecessor reached. Otherwise orphaned pods of
     * an equal generation count as updated, as in upstream.
     */
    private Step create() {
        return Step.create("daemonset", """
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "%s", "annotations":
                 {"deprecated.daemonset.template.generation": "%d"}}, "spec": {
                 "updateStrategy": %s, "selector": {"matchLabels": {"app": "%s"}},
                 "template": {"metadata": {"labels": {"app": "%s"}}, "spec": {"nodeSelector": {"for": "%s"},
                  "containers": [{"name": "app", "image": "%s"}]}}}}""".formatted(name, 1 + 100 * creations++,
                strategy(), name, name, name, image), "creates a DaemonSet");
    }

    private String strategy() {
        return switch (random.nextInt(6)) {
            case 0 -> "{\"type\": \"OnDelete\", \"rollingUpdate\": null}";
            case 1 -> rolling("0", random.nextBoolean() ? "1" : "\"50%\"");
            case 2 -> rolling("2", "0");
            case 3 -> rolling("\"50%\"", "0");
            default -> rolling("1", "0");
        };
    }

    private static String rolling(String unavailable, String surge) {
        return "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxUnavailable\": " + unavailable
                + ", \"maxSurge\": " + surge + "}}";
    }

    private Step addNode() {
        return Step.node(name, name + "-node-" + nodes++);
    }

    private void image(String next) {
        image = next;
        steps.add(patch("\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": \"" + image
                + "\"}]}}", "wants image " + image));
    }

    private void step(boolean disrupted) {
        String node = name + "-node-" + random.nextInt(nodes);
        switch (random.nextInt(disrupted ? 16 : 13)) {
            case 0, 1, 2 -> image("app:v" + (1 + random.nextInt(4)));
            case 3, 4 -> steps.add(addNode());
            case 5 -> steps.add(new Step("removes the node " + node, e -> e.nodes().remove(node)));
            case 6 -> steps.add(ofNode(node, "{\"metadata\": {\"labels\": {\"for\": null}}}", "takes the label off"));
            case 7 -> steps.add(ofNode(node, "{\"metadata\": {\"labels\": {\"for\": \"" + name + "\"}}}", "labels"));
            case 8 -> steps.add(ofNode(node, "{\"spec\": " + EVICTING + "}", "taints"));
            case 9 -> steps.add(ofNode(node, "{\"spec\": {\"taints\": null}}", "takes the taint off"));
            case 10 -> steps.add(patch("\"updateStrategy\": " + strategy(), "changes the strategy"));
            case 11 -> image(SimulatedNodes.BAD_IMAGE);
            case 12 -> {
                steps.add(Step.delete("daemonset", name,
                        List.of("Background", "Foreground", "Orphan").get(random.nextInt(3)), "deletes the DaemonSet"));
                steps.add(create().again());
            }
            default -> steps.add(Step.disruption(name, random.nextBoolean()));
        }
    }

    /** A change of a node, which may have been removed. */
    private static Step ofNode(String node, String patch, String sentence) {
        return Step.ifPresent("node", node, sentence, e -> e.api().patch("node", node, patch));
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("daemonset", name, "{\"spec\": {" + spec + "}}", sentence);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new DaemonSetInvariants(truth, history), new PodGarbageInvariants(truth));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode set = api.find("daemonset", name);
        return set == null || (Api.isObserved(set) && !ObjectFields.isDeleted(set));
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode set = api.find("daemonset", name);
        if (set != null) {
            JsonNode status = set.path("status");
            lines.put("DaemonSet", set.path("metadata").path("generation") + " desired "
                    + status.path("desiredNumberScheduled") + " current " + status.path("currentNumberScheduled")
                    + " ready " + status.path("numberReady") + " available " + status.path("numberAvailable")
                    + " updated " + status.path("updatedNumberScheduled") + " misscheduled "
                    + status.path("numberMisscheduled"));
            lines.put("revisions", api.list("controllerrevision").stream()
                    .filter(r -> ObjectFields.owner(r).equals(name))
                    .sorted((a, b) -> Long.compare(a.path("revision").asLong(), b.path("revision").asLong()))
                    .map(r -> ObjectFields.image(r.path("data"))).toList().toString());
        }
        api.podsOf(name).forEach(p -> lines.merge("pods on " + ObjectFields.text(p.path("spec"), "nodeName"),
                ObjectFields.text(p.path("spec").path("containers").path(0), "image") + " " + ObjectFields.word(p)
                        + " of " + ObjectFields.owner(p),
                (a, b) -> a + ", " + b));
        return lines;
    }
}
