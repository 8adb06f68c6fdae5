package dev.wheelhouse.apiserver.discovery;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.schema.ResourceRegistry;

/** The discovery documents of what a registry holds at the moment. */
public final class Discovery {
    private final ResourceRegistry registry;

    public Discovery(ResourceRegistry registry) {
        this.registry = registry;
    }

    /** {@code /api}. */
    public ObjectNode apiVersions() {
        throw new UnsupportedOperationException(registry.toString());
    }

    /** {@code /apis}. */
    public ObjectNode apiGroupList() {
        throw new UnsupportedOperationException();
    }

    /** {@code /apis/GROUP}; null for an unknown group. */
    public @Nullable ObjectNode apiGroup(String group) {
        throw new UnsupportedOperationException();
    }

    /** {@code /api/v1} and {@code /apis/GROUP/VERSION}; null for an unknown one. */
    public @Nullable ObjectNode apiResourceList(String group, String version) {
        throw new UnsupportedOperationException();
    }

    /**
     * The aggregated form ({@code APIGroupDiscoveryList}) of {@code /api} ({@code core}) or {@code /apis}.
     *
     * @param apiVersion {@code v2} or {@code v2beta1} of {@code apidiscovery.k8s.io}
     */
    public ObjectNode aggregated(boolean core, String apiVersion) {
        throw new UnsupportedOperationException();
    }
}
