package dev.wheelhouse.controllers.replicaset;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.ResourceEventHandler;

/**
 * The sets that the controller creates pods for, in the form of ReplicaSets. ReplicationControllers are converted on
 * reading and writing, as in upstream, so that one controller serves both types.
 */
interface PodSets extends PodOwners<V1ReplicaSet> {
    @Override
    default @Nullable V1LabelSelector selector(V1ReplicaSet set) {
        return set.getSpec().getSelector();
    }

    /** The sets that the owner with this UID controls. */
    List<V1ReplicaSet> controlledBy(String ownerUid);

    void addEventHandler(ResourceEventHandler<V1ReplicaSet> handler);

    /** The UID of an object's controller, for an index; empty if it has no controller. */
    static List<String> controllerUid(KubernetesObject object) {
        V1OwnerReference controller = OwnerReferences.controllerOf(object.getMetadata());
        return controller == null ? List.of() : List.of(controller.getUid());
    }
}
