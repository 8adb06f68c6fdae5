package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * Pods that a user creates without a controller. Some run, some end, and some require a node of the user, which may be
 * removed or taken out of service. The label {@code fate} of a pod tells its node what becomes of it.
 */
final class PodsWorkload extends Workload {
    private static final Duration ROUND = Duration.ofSeconds(20);
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    private final Random random;
    /** The nodes that were removed or taken out of service. */
    private final Set<String> lost = new TreeSet<>();
    private int pods;
    private int nodes;

    PodsWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(PodGarbageCollector.NAME);
        // Pods of nodes that are gone are collected within a minute and a half.
        quietAfter(Duration.ofMinutes(2));
        this.random = random;
        steps.add(addNode());
        int count = 6 + random.nextInt(disrupted ? 14 : 9);
        for (int i = 0; i < count; i++) {
            step();
        }
    }

    private void step() {
        String node = name + "-node-" + random.nextInt(nodes);
        String pod = name + "-" + random.nextInt(Math.max(1, pods));
        steps.add(switch (random.nextInt(16)) {
            case 0, 1 -> addNode();
            case 2, 3 -> create(node, "runs");
            case 4, 5, 6, 7, 8 -> create("", List.of("runs", "succeeds", "fails").get(random.nextInt(3)));
            case 9, 10 -> Step.remove("pod", pod);
            case 11 -> new Step("has a node that evicts the pod " + pod, e -> {
                JsonNode found = e.api().find("pod", pod);
                if (found != null && !Set.of("terminating", "succeeded", "failed").contains(ObjectFields.word(found))) {
                    e.nodes().change(pod, PodChange.EVICTED);
                }
            });
            case 12 -> ofNode(node, "removes", e -> e.nodes().remove(node));
            case 13 -> ofNode(node, "takes out of service", e -> {
                e.nodes().stop(node);
                e.api().patch("node", node,
                        "{\"spec\": {\"taints\": [{\"key\": \"" + PodGarbageInvariants.OUT_OF_SERVICE
                                + "\", \"effect\": \"NoExecute\"}]}}");
            });
            default -> new Step("waits for a round of the collector", e -> e.clock().advance(ROUND));
        });
    }

    private Step addNode() {
        return Step.node(name, name + "-node-" + nodes++);
    }

    private Step ofNode(String node, String verb, Step.Act act) {
        return new Step(verb + " the node " + node, e -> {
            if (lost.add(node)) {
                act.perform(e);
            }
        });
    }

    /** @param node the node that the pod requires; empty for any */
    private Step create(String node, String fate) {
        return Step.create("pod", """
                {"metadata": {"name": "%s", "labels": {"app": "%s", "fate": "%s"}}, "spec": {"restartPolicy": "Never",
                 %s "containers": [{"name": "app", "image": "app:v1"}]}}""".formatted(name + "-" + pods++, name, fate,
                node.isEmpty() ? "" : affinity(node)), "creates a pod");
    }

    /** The affinity of a pod that requires a node, with a comma. */
    static String affinity(String node) {
        return """
                "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
                 [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["%s"]}]}]}}},"""
                .formatted(node);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new PodGarbageInvariants(truth));
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        PodChange start = environment.nodes().nextOfService(pod, calm);
        if (start != null || ENDED.contains(ObjectFields.text(pod.path("status"), "phase"))) {
            return start;
        }
        return switch (fate(pod)) {
            case "succeeds" -> PodChange.SUCCEEDED;
            case "fails" -> PodChange.failed(1);
            default -> null;
        };
    }

    private static String fate(JsonNode pod) {
        return ObjectFields.text(pod.path("metadata").path("labels"), "fate");
    }

    /**
     * {@inheritDoc} Whether a pod got to its node before the node was lost is random. Which of the ended pods stay
     * depends on the times of their creation, which have only seconds.
     */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        for (JsonNode pod : api.podsOf(name)) {
            if (!ENDED.contains(ObjectFields.text(pod.path("status"), "phase"))
                    && !lost.contains(String.valueOf(SimulatedNodes.requiredNode(pod)))) {
                lines.put("pod " + ObjectFields.name(pod), ObjectFields.word(pod));
            }
        }
        return lines;
    }
}
