package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;

import static dev.wheelhouse.simulation.Truth.name;

/**
 * A pod is evicted only from a node with taints of the effect NoExecute, and not before the pod's toleration ends. At
 * the end no such pod is left, nodes that live are ready and have no taint of the controller, and silent ones are
 * unknown and tainted. Each node has the annotation for caches and a range of
 * addresses of its own.
 */
final class NodeInvariants implements Invariant {
    private static final String UNREACHABLE = "node.kubernetes.io/unreachable";
    private static final String TTL = "node.alpha.kubernetes.io/ttl";
    /** With this many silent nodes the zone may be partially disrupted, so that no pods are evicted. */
    private static final int DISRUPTED = 3;

    private final Truth truth;
    private final RunHistory history;
    private final NodesWorkload workload;

    NodeInvariants(Truth truth, RunHistory history, NodesWorkload workload) {
        this.truth = truth;
        this.history = history;
        this.workload = workload;
    }

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(TaintEvictionController.NAME) || !write.is("delete", ResourceType.PODS)) {
            return List.of();
        }
        V1Pod pod = truth.pod(write.request().key());
        String seconds = pod == null ? NodesWorkload.EVER : tolerates(pod);
        if (pod == null) {
            return List.of();
        }
        if (seconds.equals(NodesWorkload.EVER)) {
            return List.of("the pod " + name(pod) + " is evicted, which tolerates all taints");
        }
        Instant since = workload.taintedSince(String.valueOf(pod.getSpec().getNodeName()));
        if (since == null) {
            return List.of("the pod " + name(pod) + " is evicted from a node that was never tainted");
        }
        Instant end = since.plusSeconds(Long.parseLong(seconds));
        return history.now().isBefore(end)
                ? List.of("the pod " + name(pod) + " is evicted before its toleration ends at " + end)
                : List.of();
    }

    @Override
    public void after(Write write) {
        if (write.controller().equals(NodeLifecycleController.NAME) && write.is("patch", ResourceType.NODES)) {
            workload.lookAtTaints(truth, history.now());
        }
    }

    private static String tolerates(V1Pod pod) {
        return pod.getMetadata().getLabels() == null
                ? NodesWorkload.EVER
                : pod.getMetadata().getLabels().getOrDefault("tolerates", NodesWorkload.EVER);
    }

    /** The ranges that several nodes have, and the nodes that have none. */
    private static List<String> wrongRanges(List<V1Node> nodes) {
        List<String> wrong = new ArrayList<>();
        Map<String, String> owners = new HashMap<>();
        for (V1Node node : nodes) {
            String range = node.getSpec() == null ? null : node.getSpec().getPodCIDR();
            String other = range == null ? null : owners.put(range, name(node));
            if (range == null) {
                wrong.add("the node " + name(node) + " has no range of addresses");
            } else if (other != null) {
                wrong.add("the nodes " + other + " and " + name(node) + " have the same range of addresses");
            }
        }
        return wrong;
    }

    @Override
    public List<String> atEnd() {
        List<V1Node> nodes = truth.list(ResourceType.NODES, V1Node.class);
        List<String> wrong = wrongRanges(nodes);
        long silent = nodes.stream().filter(node -> !workload.lives(name(node))).count();
        for (V1Node node : nodes) {
            boolean lives = workload.lives(name(node));
            if (lives != ready(node).equals("True")) {
                wrong.add("the node " + name(node) + (lives ? ", which lives," : ", which is silent,")
                        + " has the status " + ready(node));
            }
            if (node.getMetadata().getAnnotations() == null
                    || !"0".equals(node.getMetadata().getAnnotations().get(TTL))) {
                wrong.add("the node " + name(node) + " does not say how long may be cached");
            }
            if (lives && has(node, UNREACHABLE, "NoSchedule")) {
                wrong.add("the node " + name(node) + ", which lives, is tainted");
            }
            if (!lives && !has(node, UNREACHABLE, "NoSchedule")) {
                wrong.add("the node " + name(node) + ", which is silent, is not tainted");
            }
            if (lives && has(node, UNREACHABLE, "NoExecute")) {
                wrong.add("the pods of the node " + name(node) + ", which lives, are to be evicted");
            }
            if (!lives && silent < DISRUPTED && !has(node, UNREACHABLE, "NoExecute")) {
                wrong.add("the pods of the node " + name(node) + ", which is silent, are not to be evicted");
            }
            if (has(node, NodesWorkload.TAINT, "NoExecute")) {
                truth.pods().stream().filter(pod -> name(node).equals(pod.getSpec().getNodeName()))
                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null
                                && !tolerates(pod).equals(NodesWorkload.EVER))
                        .forEach(pod -> wrong.add("the pod " + name(pod) + " stays on a tainted node"));
            }
        }
        return wrong;
    }

    private static String ready(V1Node node) {
        return node.getStatus() == null || node.getStatus().getConditions() == null
                ? ""
                : node.getStatus().getConditions().stream().filter(c -> c.getType().equals("Ready"))
                        .map(V1NodeCondition::getStatus).findFirst().orElse("");
    }

    private static boolean has(V1Node node, String key, String effect) {
        List<V1Taint> taints = node.getSpec() == null ? null : node.getSpec().getTaints();
        return taints != null && taints.stream().anyMatch(t -> t.getKey().equals(key) && t.getEffect().equals(effect));
    }
}
