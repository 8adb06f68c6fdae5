package dev.wheelhouse.apiserver.discovery;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.schema.ResourceRegistry;

/** The OpenAPI documents that kubectl reads for validation, {@code explain}, {@code apply} and {@code diff}. */
public final class OpenApi {
    private final ResourceRegistry registry;

    public OpenApi(ResourceRegistry registry) {
        this.registry = registry;
    }

    /** {@code /openapi/v3}: the index of the documents. */
    public ObjectNode v3Index() {
        throw new UnsupportedOperationException(registry.toString());
    }

    /** {@code /openapi/v3/PATH}, such as {@code apis/apps/v1}; null for an unknown one. */
    public @Nullable ObjectNode v3(String path) {
        throw new UnsupportedOperationException();
    }

    /** {@code /openapi/v2} as JSON. */
    public ObjectNode v2() {
        throw new UnsupportedOperationException();
    }

    /** {@code /openapi/v2} as {@code application/com.github.proto-openapi.spec.v2@v1.0+protobuf}. */
    public byte[] v2Protobuf() {
        throw new UnsupportedOperationException();
    }
}
