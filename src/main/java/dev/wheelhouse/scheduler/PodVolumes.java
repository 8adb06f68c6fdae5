package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;

/**
 * The claims of one pod and their volumes, as a decision sees them.
 *
 * @param problem why the pod cannot be scheduled to any node, in upstream's words; empty if it can
 * @param bound the volumes of the claims that are bound
 * @param missing whether a claim is bound to a volume that does not exist
 * @param waiting the claims that are bound once the pod has a node
 * @param exclusive the claims that only one pod may use
 * @param limits whether a pod has more volumes than may be attached to a node
 */
record PodVolumes(String problem, List<V1PersistentVolume> bound, boolean missing, List<Waiting> waiting,
        List<ObjectKey> exclusive, BiPredicate<PodInfo, NodeInfo> limits) {
    static final PodVolumes NONE = new PodVolumes("", List.of(), false, List.of(), List.of(), (pod, node) -> false);

    PodVolumes {
        bound = List.copyOf(bound);
        waiting = List.copyOf(waiting);
        exclusive = List.copyOf(exclusive);
    }

    /** A pod that cannot be scheduled because of its claims. */
    static PodVolumes unusable(String problem) {
        return new PodVolumes(problem, List.of(), false, List.of(), List.of(), NONE.limits);
    }

    /**
     * A claim that waits for a node.
     *
     * @param candidates the volumes of its class that no other pod has taken
     * @param room the nodes with enough free storage for a new volume; null if its driver does not tell
     */
    record Waiting(V1PersistentVolumeClaim claim, V1StorageClass storageClass, List<V1PersistentVolume> candidates,
            @Nullable List<LabelSelector> room) {
        boolean hasRoom(Map<String, String> node) {
            return room == null || room.stream().anyMatch(each -> each.matches(node));
        }
    }

    /**
     * The volumes for the waiting claims on one node.
     *
     * @param provisioned the claims whose provisioners are to make volumes for the node
     */
    record Choice(List<Binding> bindings, List<V1PersistentVolumeClaim> provisioned) {
        static final Choice NONE = new Choice(List.of(), List.of());

        boolean isEmpty() {
            return bindings.isEmpty() && provisioned.isEmpty();
        }
    }

    record Binding(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {}
}
