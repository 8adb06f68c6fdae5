package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.node.NodeIpamController;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.node.TtlController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;

/**
 * Nodes that a user taints, stops, starts and removes, with pods that tolerate taints of the effect NoExecute for some
 * time. The label {@code tolerates} of a pod has the seconds, or {@code ever}.
 */
final class NodesWorkload extends Workload {
    /** The taint of the user. */
    static final String TAINT = "example.com/maintenance";
    static final String EVER = "ever";

    private static final Duration WAIT = Duration.ofSeconds(10);

    private final Random random;
    /** The nodes whose kubelets the user has stopped. */
    private final Set<String> silent = new TreeSet<>();
    private final Set<String> tainted = new TreeSet<>();
    /** The beginning of the present or last time in which a node has taints of the effect NoExecute. */
    private final Map<String, Instant> taintedSince = new TreeMap<>();
    /** The nodes that the user taints, stops or removes in some step. */
    private final Set<String> touched = new TreeSet<>();
    private final Set<String> removed = new TreeSet<>();
    private int nodes;
    private int pods;

    NodesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(NodeLifecycleController.NAME, TaintEvictionController.NAME, TtlController.NAME, NodeIpamController.NAME,
                PodGarbageCollector.NAME);
        // Silent nodes are found within a minute, and tainted one after the other.
        quietAfter(Duration.ofMinutes(2));
        this.random = random;
        addNode();
        addNode();
        create();
        int count = 8 + random.nextInt(disrupted ? 14 : 9);
        for (int i = 0; i < count; i++) {
            step();
        }
    }

    private void step() {
        String node = name + "-node-" + random.nextInt(nodes);
        switch (random.nextInt(14)) {
            case 0 -> addNode();
            case 1, 2, 3, 4 -> create();
            case 5, 6, 7 -> ofNode(node, "taints", e -> {
                e.api().patch("node", node, "{\"spec\": {\"taints\": [{\"key\": \"" + TAINT
                        + "\", \"effect\": \"NoExecute\"}]}}");
                see(e.api().get("node", node), e.clock().now());
            });
            case 8 -> steps.add(Step.ifPresent("node", node, "removes the taints of", e -> {
                e.api().patch("node", node, "{\"spec\": {\"taints\": null}}");
                see(e.api().get("node", node), e.clock().now());
            }).again());
            case 9, 10 -> ofNode(node, "stops", e -> {
                silent.add(node);
                e.nodes().stop(node);
            });
            case 11 -> ofNode(node, "starts", e -> {
                silent.remove(node);
                e.nodes().restart(node);
            });
            case 12 -> {
                removed.add(node);
                ofNode(node, "removes", e -> e.nodes().remove(node));
            }
            default -> steps.add(Step.pause(WAIT));
        }
    }

    private void addNode() {
        steps.add(Step.node(name, name + "-node-" + nodes++));
    }

    private void ofNode(String node, String verb, Step.Act act) {
        touched.add(node);
        steps.add(Step.ifPresent("node", node, verb, act));
    }

    private void create() {
        String node = name + "-node-" + random.nextInt(nodes);
        String tolerates = List.of("0", "15", "40", EVER).get(random.nextInt(4));
        String tolerations = switch (tolerates) {
            case "0" -> "";
            case EVER -> "\"tolerations\": [{\"operator\": \"Exists\"}],";
            default -> "\"tolerations\": [{\"operator\": \"Exists\", \"effect\": \"NoExecute\", "
                    + "\"tolerationSeconds\": " + tolerates + "}],";
        };
        steps.add(Step.create("pod", """
                {"metadata": {"name": "%s", "labels": {"app": "%s", "tolerates": "%s"}}, "spec": {
                 %s %s "containers": [{"name": "app", "image": "app:v1"}]}}""".formatted(name + "-" + pods++, name,
                tolerates, PodsWorkload.affinity(node), tolerations), "creates a pod"));
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        taintedSince.clear();
        tainted.clear();
        silent.clear();
        return List.of(new NodeInvariants(truth, history, this), new PodGarbageInvariants(truth));
    }

    /** Whether the kubelet of a node runs. */
    boolean lives(String node) {
        return !silent.contains(node);
    }

    /** The time since which a node has taints of the effect NoExecute, or had its last ones; null if it had none. */
    @Nullable
    Instant taintedSince(String node) {
        return taintedSince.get(node);
    }

    /** Looks at the taints of all nodes. It is called after each write of a controller that changes taints. */
    void lookAtTaints(Truth truth, Instant now) {
        truth.list(ResourceType.NODES, JsonNode.class).forEach(node -> see(node, now));
    }

    private void see(JsonNode node, Instant now) {
        String its = ObjectFields.name(node);
        boolean has = node.path("spec").path("taints").valueStream()
                .anyMatch(taint -> ObjectFields.text(taint, "effect").equals("NoExecute"));
        if (has && tainted.add(its)) {
            taintedSince.put(its, now);
        } else if (!has) {
            tainted.remove(its);
        }
    }

    /** {@inheritDoc} Nobody ends the pods of stopped nodes. */
    @Override
    public boolean holdsNamespace() {
        return true;
    }

    /** {@inheritDoc} How long a node was tainted or silent is random, and with it whether its pods left in time. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        for (JsonNode pod : api.podsOf(name)) {
            String node = String.valueOf(SimulatedNodes.requiredNode(pod));
            boolean ever = pod.path("metadata").path("labels").path("tolerates").asString("").equals(EVER);
            if (!touched.contains(node) || (ever && !removed.contains(node))) {
                lines.put("pod " + ObjectFields.name(pod), "is there");
            }
        }
        return lines;
    }
}
