package dev.wheelhouse.controllers.daemonset;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Taint;
import io.kubernetes.client.openapi.models.V1Toleration;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.Tolerations;
import dev.wheelhouse.controllers.pods.Nodes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The demands of a DaemonSet's template on a node (upstream: {@code NodeShouldRunDaemonPod} in
 * {@code pkg/controller/daemon/daemon_controller.go}). Resources and ports do not count: the scheduler and the node
 * decide about these.
 *
 * @param nodeName the only node that the template names; empty if it names none
 * @param selection the template's node selector and node affinity
 * @param tolerations the template's tolerations, and those that every DaemonSet has
 */
record NodePredicates(String nodeName, NodeSelection selection, List<V1Toleration> tolerations) {
    /** The answer for one node. */
    enum Verdict {
        /** A pod runs here, and is created if it is missing. */
        RUN,
        /** A pod that is here stays. None is created, because of a taint with the effect NoSchedule. */
        KEEP,
        /** No pod runs here. */
        LEAVE,
        /** The node does not exist. */
        ABSENT
    }

    static NodePredicates of(V1PodSpec template) {
        return new NodePredicates(orEmpty(template.getNodeName()),
                NodeSelection.of(template),
                DaemonPods.tolerations(template));
    }

    Verdict on(V1Node node) {
        String name = String.valueOf(node.getMetadata().getName());

        if (!nodeName.isEmpty() && !nodeName.equals(name)
                || !selection.matches(name, Metadata.labels(node.getMetadata()))) {
            return Verdict.LEAVE;
        }
        Verdict verdict = Verdict.RUN;
        for (V1Taint taint : Nodes.taints(node)) {
            boolean evicts = "NoExecute".equals(taint.getEffect());
            if ((evicts || "NoSchedule".equals(taint.getEffect())) && !Tolerations.tolerate(tolerations, taint)) {
                if (evicts) {
                    return Verdict.LEAVE;
                }
                verdict = Verdict.KEEP;
            }
        }
        return verdict;
    }
}
