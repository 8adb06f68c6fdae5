package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.StatusCause;

/**
 * Refuses new objects in a namespace that is missing or being deleted, and the deletion of some namespaces (upstream:
 * {@code apiserver/pkg/admission/plugin/namespace/lifecycle}).
 */
record NamespaceLifecycle(ObjectStore store) {
    private static final Set<String> IMMORTAL = Set.of("default", "kube-system", "kube-public");

    /** @throws dev.wheelhouse.apiserver.error.StatusException 404 without the namespace, 403 if it is being deleted */
    void allowCreate(ResourceType type, String namespace, String name) {
        if (!type.namespaced()) {
            return;
        }
        StoredObject found = store.get("namespaces", "", namespace);
        if (found == null) {
            throw Errors.notFound(ResourceType.NAMESPACES, namespace);
        }
        if ("Terminating".equals(found.field("status.phase"))) {
            throw Errors.forbidden(type, name,
                    "unable to create new content in namespace " + namespace + " because it is being terminated",
                    List.of(new StatusCause("metadata.namespace", "NamespaceTerminating",
                            "namespace " + namespace + " is being terminated")));
        }
    }

    /** @throws dev.wheelhouse.apiserver.error.StatusException 403 for a namespace that every cluster needs */
    static void allowDelete(ResourceType type, String name) {
        if (type.equals(ResourceType.NAMESPACES) && IMMORTAL.contains(name)) {
            throw Errors.forbidden(type, name, "this namespace may not be deleted");
        }
    }
}
