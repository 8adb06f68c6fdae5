package dev.wheelhouse.controller;

import io.kubernetes.client.openapi.models.V1Scale;
import io.kubernetes.client.openapi.models.V1ScaleSpec;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Reads and changes the {@code scale} subresource of objects of any kind (upstream: client-go {@code scale/client.go}).
 * The reads go to the API server; the changes are actions. Thread safe.
 *
 * @param mapper finds the resources of kinds
 */
public record ScaleClient(KubeClient client, ResourceMapper mapper) {
    /**
     * The scale of an object.
     *
     * @param type the resource of the object, to change the scale
     */
    public record Scaled(ResourceType type, V1Scale scale) {
        /** The replicas that the object asks for. */
        public int replicas() {
            V1ScaleSpec spec = scale.getSpec();
            return spec == null ? 0 : orZero(spec.getReplicas());
        }

        /** The write that changes the replicas. It fails with 409 if the object has changed since the read. */
        public Action.UpdateSubresource withReplicas(int replicas, String why) {
            V1Scale changed = ModelJson.copy(scale);
            changed.setSpec(new V1ScaleSpec().replicas(replicas));
            return new Action.UpdateSubresource(type, changed, "scale", why);
        }
    }

    /**
     * Reads the scale of an object that an object of the same namespace names.
     *
     * @param apiVersion a version of the kind's group; the read uses the version that the server prefers
     * @throws KubeApiException if the read fails; status 404 if there is no such kind, the kind cannot be scaled or has
     * no namespaces, or there is no such object
     */
    public Scaled get(String apiVersion, String kind, ObjectKey key) {
        ResourceType type = mapper.of(apiVersion, kind);
        if (!type.namespaced()) {
            // Upstream asks for the path in the namespace, which does not exist. A namespace's users must not reach an
            // object of the whole cluster by the rights of the controller.
            throw new KubeApiException("get " + type.groupResource() + "/scale " + key, 404, "NotFound",
                    "the server could not find the requested resource", null);
        }
        return new Scaled(type, client.resource(type, V1Scale.class).getSubresource(key, "scale"));
    }
}
