package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1RollingUpdateDaemonSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.daemonset.DaemonSetController;

import static dev.wheelhouse.simulation.Truth.image;
import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.isReady;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;

/**
 * A DaemonSet never has two pods on a node, except an old one beside a new one during an update with a surge. An update
 * never leaves more nodes without a ready pod than may be unavailable.
 */
record DaemonSetInvariants(Truth truth, RunHistory history) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(DaemonSetController.NAME)) {
            return List.of();
        }
        V1Pod pod = write.object(V1Pod.class);
        if (pod != null && write.is("create", ResourceType.PODS)) {
            return created(write, pod);
        }
        V1Pod victim = write.is("delete", ResourceType.PODS) ? truth.pod(write.request().key()) : null;
        return victim == null ? List.of() : deleted(write, victim);
    }

    @Override
    public List<String> late(Write write, int created) {
        V1Pod pod = write.is("create", ResourceType.PODS) ? write.object(V1Pod.class) : null;
        V1DaemonSet read = pod == null ? null : write.owner(pod, ResourceType.DAEMON_SETS, V1DaemonSet.class);
        if (read == null) {
            return List.of();
        }
        List<V1Pod> beside = write.read(ResourceType.PODS, V1Pod.class).stream()
                .filter(p -> owns(read, p) && isActive(p) && node(p).equals(node(pod))).toList();
        return beside.isEmpty() || isSurging(read)
                ? List.of()
                : List.of("a second pod on node " + node(pod) + ", and it read that there is one");
    }

    /** The node that a pod is bound to or waits for; empty for none. */
    private static String node(V1Pod pod) {
        if (pod.getSpec().getNodeName() != null) {
            return pod.getSpec().getNodeName();
        }
        return pod.getSpec().getAffinity() == null || pod.getSpec().getAffinity().getNodeAffinity() == null
                ? ""
                : pod.getSpec().getAffinity().getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution()
                        .getNodeSelectorTerms().getFirst().getMatchFields().getFirst().getValues().getFirst();
    }

    private static boolean isSurging(V1DaemonSet set) {
        V1RollingUpdateDaemonSet rolling = set.getSpec().getUpdateStrategy().getRollingUpdate();
        return rolling != null && rolling.getMaxSurge() != null && !rolling.getMaxSurge().equals(new IntOrString(0));
    }

    private List<String> created(Write write, V1Pod pod) {
        V1DaemonSet set = write.owner(pod, ResourceType.DAEMON_SETS, V1DaemonSet.class);
        if (set == null) {
            return List.of();
        }
        List<V1Pod> beside = truth.pods().stream()
                .filter(p -> owns(set, p) && isActive(p) && node(p).equals(node(pod))).toList();
        int allowed = (isSurging(set) && beside.stream().noneMatch(p -> image(p.getSpec()).equals(image(pod.getSpec())))
                ? 1
                : 0)
                + history.lateCreates();
        List<String> wrong = new ArrayList<>();
        if (beside.size() > allowed) {
            wrong.add("the DaemonSet " + name(set) + " starts a pod on node " + node(pod) + " beside "
                    + beside.stream().map(Truth::name).toList());
        }
        if (write.read(ResourceType.NODES, V1Node.class, ObjectKey.cluster(node(pod))) == null) {
            wrong.add("the DaemonSet " + name(set) + " starts a pod on node " + node(pod) + ", which it does not know");
        }
        return wrong;
    }

    private List<String> deleted(Write write, V1Pod pod) {
        V1DaemonSet set = write.owner(pod, ResourceType.DAEMON_SETS, V1DaemonSet.class);
        V1Pod read = write.read(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod));
        if (set == null || read == null || history.isDisrupted() || history.lateDeletes() > 0 || isSurging(set)
                || !isReady(read) || !isActive(read)
                || image(read.getSpec()).equals(image(set.getSpec().getTemplate().getSpec()))) {
            return List.of();
        }
        List<String> wanted = write.read(ResourceType.NODES, V1Node.class).stream().filter(n -> runs(set, n))
                .map(Truth::name).toList();
        if (!wanted.contains(node(pod))) {
            return List.of();
        }
        List<String> ready = truth.pods().stream()
                .filter(p -> owns(set, p) && isActive(p) && isReady(p) && !name(p).equals(name(pod)))
                .map(DaemonSetInvariants::node).toList();
        long without = wanted.stream().filter(n -> !ready.contains(n)).count();
        int allowed = Math.max(1, unavailable(set, wanted.size()));
        return without <= allowed
                ? List.of()
                : List.of("the DaemonSet " + name(set) + " deletes " + name(pod) + " and leaves " + without
                        + " nodes without a ready pod, and it read that " + allowed + " may be");
    }

    private static boolean runs(V1DaemonSet set, V1Node node) {
        return node.getMetadata().getLabels() != null
                && node.getMetadata().getLabels().entrySet()
                        .containsAll(set.getSpec().getTemplate().getSpec().getNodeSelector().entrySet())
                && (node.getSpec().getTaints() == null || node.getSpec().getTaints().isEmpty());
    }

    private static int unavailable(V1DaemonSet set, int of) {
        V1RollingUpdateDaemonSet rolling = set.getSpec().getUpdateStrategy().getRollingUpdate();
        IntOrString value = rolling == null ? null : rolling.getMaxUnavailable();
        if (value == null) {
            return 1;
        }
        return value.isInteger()
                ? value.getIntValue()
                : (int) Math.ceil(Integer.parseInt(value.getStrValue().replace("%", "")) * of / 100.0);
    }

    @Override
    public List<String> atEnd() {
        List<String> wrong = new ArrayList<>();
        for (V1DaemonSet set : truth.list(ResourceType.DAEMON_SETS, V1DaemonSet.class)) {
            List<String> nodes = truth.pods().stream().filter(p -> owns(set, p) && isActive(p))
                    .map(DaemonSetInvariants::node).toList();
            nodes.stream().filter(n -> nodes.indexOf(n) != nodes.lastIndexOf(n)).distinct()
                    .forEach(n -> wrong.add("the DaemonSet " + name(set) + " leaves two pods on node " + n));
        }
        return wrong;
    }
}
