package dev.wheelhouse.apiserver.discovery;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The OpenAPI documents that kubectl reads for validation, {@code explain}, {@code apply} and {@code diff} (upstream: {@code kube-openapi}).
 * Made when they are first asked for, once per state of the registry, and shared: do not change them. For any thread.
 */
public final class OpenApi {
    private final ResourceRegistry registry;
    private volatile @Nullable OpenApiDocuments documents;

    public OpenApi(ResourceRegistry registry) {
        this.registry = registry;
    }

    /** {@code /openapi/v3}: the index of the documents, each with its {@link #v3Hash}. */
    public ObjectNode v3Index() {
        OpenApiDocuments current = current();
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        for (String path : current.paths()) {
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + current.hash(path));
        }
        return index;
    }

    /** {@code /openapi/v3/PATH}, such as {@code apis/apps/v1}; null for an unknown one. */
    public @Nullable ObjectNode v3(String path) {
        OpenApiDocuments current = current();
        return current.paths().contains(path) ? current.v3(path) : null;
    }

    /**
     * What the index says as {@code hash} of the document: a digest of its content, good as its ETag. A request with this hash may be
     * answered as immutable, one with another is to be redirected. Null for an unknown path.
     */
    public @Nullable String v3Hash(String path) {
        OpenApiDocuments current = current();
        return current.paths().contains(path) ? current.hash(path) : null;
    }

    /** {@code /openapi/v2} as JSON. */
    public ObjectNode v2() {
        return current().v2();
    }

    /** {@code /openapi/v2} as {@code application/com.github.proto-openapi.spec.v2@v1.0+protobuf}. Do not change the array. */
    public byte[] v2Protobuf() {
        return current().v2Protobuf();
    }

    private OpenApiDocuments current() {
        List<ResourceInfo> state = registry.all();
        OpenApiDocuments known = documents;
        if (known == null || !known.isOf(state)) {
            synchronized (this) {
                known = documents;
                if (known == null || !known.isOf(state)) {
                    known = new OpenApiDocuments(state);
                    documents = known;
                }
            }
        }
        return known;
    }
}
