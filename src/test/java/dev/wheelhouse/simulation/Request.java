package dev.wheelhouse.simulation;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * A write on its way to the API server.
 *
 * @param verb create, update, patch, delete or deletecollection
 * @param object what is created or put, or null
 */
record Request(String verb, ResourceType type, ObjectKey key, String subresource, @Nullable KubernetesObject object) {
    @Override
    public String toString() {
        return verb + " " + type.plural() + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key.name();
    }
}
