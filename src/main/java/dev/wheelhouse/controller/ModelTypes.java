package dev.wheelhouse.controller;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicationController;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelClass;
import dev.wheelhouse.client.ResourceClient;

/** Maps resource types to model classes of the official client. Types without a class are handled by their metadata. */
final class ModelTypes {
    private static final Map<ResourceType, Class<? extends KubernetesObject>> MODELS = Map.ofEntries(
            Map.entry(ResourceType.PODS, V1Pod.class), Map.entry(ResourceType.NODES, V1Node.class),
            Map.entry(ResourceType.NAMESPACES, V1Namespace.class), Map.entry(ResourceType.EVENTS, CoreV1Event.class),
            Map.entry(ResourceType.SERVICES, V1Service.class),
            Map.entry(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class),
            Map.entry(ResourceType.CONFIG_MAPS, V1ConfigMap.class),
            Map.entry(ResourceType.SECRETS, V1Secret.class),
            Map.entry(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class),
            Map.entry(ResourceType.REPLICATION_CONTROLLERS, V1ReplicationController.class),
            Map.entry(ResourceType.DEPLOYMENTS, V1Deployment.class),
            Map.entry(ResourceType.REPLICA_SETS, V1ReplicaSet.class), Map.entry(ResourceType.JOBS, V1Job.class),
            Map.entry(ResourceType.LEASES, V1Lease.class));

    private ModelTypes() {}

    /** A client for patches and deletes of a type. */
    static ResourceClient<? extends KubernetesObject> client(KubeClient client, ResourceType type) {
        Class<? extends KubernetesObject> model = MODELS.get(type);
        return model == null ? client.metadata(type) : client.resource(type, model);
    }

    /** A client whose answers have a class; for a null class, a client for patches of a type. */
    static ResourceClient<? extends KubernetesObject> client(KubeClient client, ResourceType type,
            @Nullable Class<? extends KubernetesObject> model) {
        return model == null ? client(client, type) : client.resource(type, model);
    }

    /**
     * Why an object is not one of a type, by its class or its {@code kind}; null if it may be. A server would store an
     * object of another kind with the fields that both kinds have, which is an empty object.
     */
    static @Nullable String mismatch(ResourceType type, KubernetesObject object) {
        Class<?> model = object.getClass();
        String name = model.getSimpleName();
        int prefix = name.length() - type.kind().length();
        boolean fits = !ModelClass.isModel(model) || model == PartialObjectMetadata.class
                || name.endsWith(type.kind()) && prefix > 0 && Character.isDigit(name.charAt(prefix - 1));
        boolean same = (object.getKind() == null || object.getKind().equals(type.kind()))
                && (object.getApiVersion() == null || object.getApiVersion().equals(type.apiVersion()));
        return fits && same
                ? null
                : "the object is a " + name + (object.getKind() == null
                        ? ""
                        : " with apiVersion " + object.getApiVersion() + " and kind " + object.getKind())
                        + ", and " + type + " are " + type.apiVersion() + " " + type.kind()
                        + ": write it with its own ResourceType";
    }

    /** A client that writes objects of this object's class. */
    @SuppressWarnings("unchecked")
    static ResourceClient<KubernetesObject> client(KubeClient client, ResourceType type, KubernetesObject object) {
        return client.resource(type, (Class<KubernetesObject>) object.getClass());
    }
}
