package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.NodeSelection;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.isReady;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;
import static dev.wheelhouse.simulation.Truth.uid;

/**
 * A node never gets a second pod of a DaemonSet, except one of another revision with a surge. No pod is deleted twice,
 * and a rolling update deletes no available pod if too many nodes lack one. Nodes with a taint get no pod.
 */
record DaemonSetInvariants(Truth truth, RunHistory history) implements Invariant {
    private static final String HASH = "controller-revision-hash";

    @Override
    public List<String> before(Write write) {
        if (write.is("create", ResourceType.PODS)) {
            return created(write);
        }
        return write.is("delete", ResourceType.PODS) ? deleted(write) : List.of();
    }

    /** The DaemonSet that a pod names as its controller, as the manager has read it; null if it names none. */
    private static @Nullable V1DaemonSet readOwner(Write write, V1Pod pod) {
        V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
        return owner == null || !owner.getKind().equals("DaemonSet")
                ? null
                : write.read(ResourceType.DAEMON_SETS, V1DaemonSet.class,
                        new ObjectKey(write.request().key().namespace(), owner.getName()));
    }

    /** The node that a pod runs on or is for; empty if there is none. */
    private static String node(V1Pod pod) {
        if (pod.getSpec().getNodeName() != null) {
            return pod.getSpec().getNodeName();
        }
        var names = NodeSelection.of(pod.getSpec()).namedNodes();
        return names == null || names.size() != 1 ? "" : names.iterator().next();
    }

    private static boolean surges(V1DaemonSet set) {
        var rolling = set.getSpec().getUpdateStrategy().getRollingUpdate();
        return rolling != null && rolling.getMaxSurge() != null && !rolling.getMaxSurge().toString().equals("0");
    }

    private List<String> created(Write write) {
        V1Pod pod = write.object(V1Pod.class);
        V1DaemonSet read = pod == null ? null : readOwner(write, pod);
        if (pod == null || read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        String hash = String.valueOf(pod.getMetadata().getLabels().get(HASH));
        List<V1Pod> beside = truth.pods().stream().filter(p -> owns(read, p) && isActive(p))
                .filter(p -> node(p).equals(node(pod))).toList();
        long same = beside.stream().filter(p -> hash.equals(p.getMetadata().getLabels().get(HASH))).count();
        if ((surges(read) ? same : beside.size()) > history.lateCreates()) {
            wrong.add("a creation gives the node " + node(pod) + " " + (beside.size() + 1) + " pods of " + name(read));
        }
        V1Node node = write.read(ResourceType.NODES, V1Node.class, ObjectKey.cluster(node(pod)));
        if (node == null || isTainted(node)) {
            wrong.add("a pod of " + name(read) + " is created for the node " + node(pod)
                    + ", which is read as tainted or gone");
        }
        return wrong;
    }

    private static boolean isTainted(V1Node node) {
        return node.getSpec() != null && node.getSpec().getTaints() != null && !node.getSpec().getTaints().isEmpty();
    }

    private List<String> deleted(Write write) {
        V1Pod pod = truth.pod(write.request().key());
        V1DaemonSet set = pod == null ? null : readOwner(write, pod);
        V1Pod seen = pod == null ? null : write.read(ResourceType.PODS, V1Pod.class, pod);
        if (pod == null || set == null || seen == null || truth.isEnding()
                || !write.controller().equals("daemonset-controller")) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (history.isAcknowledged(uid(pod))) {
            wrong.add("pod " + name(pod) + " is deleted twice");
        }
        var rolling = set.getSpec().getUpdateStrategy().getRollingUpdate();
        V1Node its = write.read(ResourceType.NODES, V1Node.class, ObjectKey.cluster(node(pod)));
        if (rolling == null || surges(set) || its == null || isTainted(its) || !isAvailable(seen)
                || available(write, set, node(pod)) > 1) {
            return wrong;
        }
        List<V1Node> wanted = write.read(ResourceType.NODES, V1Node.class).stream().filter(n -> !isTainted(n)).toList();
        long without = wanted.stream().filter(n -> !name(n).equals(node(pod)))
                .filter(n -> available(write, set, name(n)) == 0).count();
        int allowed = rolling.getMaxUnavailable().isInteger()
                ? rolling.getMaxUnavailable().getIntValue()
                : wanted.size();
        if (without + 1 > allowed + history.lateDeletes()) {
            wrong.add("a deletion leaves " + (without + 1) + " nodes without an available pod of " + name(set)
                    + ", and it read that " + allowed + " may be");
        }
        return wrong;
    }

    private static boolean isAvailable(V1Pod pod) {
        return isActive(pod) && isReady(pod);
    }

    /** The number of available pods on a node that the manager has read and not deleted. */
    private long available(Write write, V1DaemonSet set, String node) {
        return write.read(ResourceType.PODS, V1Pod.class).stream()
                .filter(p -> owns(set, p) && node(p).equals(node) && isAvailable(p)
                        && !history.isAcknowledged(uid(p)))
                .count();
    }
}
