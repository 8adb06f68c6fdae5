package dev.wheelhouse.testing;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;

/**
 * A write on its way to the API server.
 *
 * @param verb create, update, patch, apply, delete or deletecollection
 * @param subresource such as {@code status}; empty for none
 * @param payload the object to create or put, the {@link Deletion}, or the text of the patch
 */
@PublicApi(false)
public record WriteRequest(String verb, ResourceType type, ObjectKey key, String subresource, Object payload) {
    /** The object to create or put; null for other writes. */
    public @Nullable KubernetesObject object() {
        return payload instanceof KubernetesObject object ? object : null;
    }

    @Override
    public String toString() {
        return verb + " " + type.plural() + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key.name();
    }
}
