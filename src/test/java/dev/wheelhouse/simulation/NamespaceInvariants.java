package dev.wheelhouse.simulation;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.namespace.NamespaceController;

/**
 * The namespace controller deletes objects only in namespaces that are being deleted, and lets go of a namespace only
 * when it is empty.
 *
 * @param types the types that discovery lists
 */
record NamespaceInvariants(Truth truth, List<ResourceType> types) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(NamespaceController.NAME)) {
            return List.of();
        }
        if (write.request().verb().startsWith("delete")) {
            String name = write.request().key().namespace();
            V1ObjectMeta namespace = truth.metadata(ResourceType.NAMESPACES, ObjectKey.cluster(name));
            return namespace == null || namespace.getDeletionTimestamp() != null
                    ? List.of()
                    : List.of("objects are deleted in the namespace " + name + ", which is not being deleted");
        }
        V1Namespace written = write.object(V1Namespace.class);
        return written == null || !write.request().subresource().equals("finalize")
                ? List.of()
                : finalized(Truth.name(written));
    }

    private List<String> finalized(String namespace) {
        return types.stream().filter(ResourceType::namespaced)
                .filter(t -> !truth.contents().list(t, namespace, JsonNode.class).isEmpty())
                .map(t -> "the namespace " + namespace + " is let go, though there are " + t.plural() + " in it")
                .toList();
    }
}
