package dev.wheelhouse.apiserver.discovery;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;

/**
 * The OpenAPI documents of a registry, which kubectl reads for validation, {@code explain}, {@code apply} and
 * {@code diff} (upstream: {@code kube-openapi}). Each is created when it is first requested, once for each state of the
 * registry, and shared by all callers, who must not change it. Thread safe.
 */
public final class OpenApi {
    private final Supplier<OpenApiDocuments> documents;

    public OpenApi(ResourceRegistry registry) {
        this(registry, () -> Elsewhere.NOTHING);
    }

    /** @param elsewhere what other servers serve; the same instance until that changes */
    public OpenApi(ResourceRegistry registry, Supplier<Elsewhere> elsewhere) {
        this.documents = registry.derived(elsewhere, OpenApiDocuments::new);
    }

    /** The answer of {@code /openapi/v3}: an index of the documents, each with its {@link #v3Hash}. */
    public ObjectNode v3Index() {
        OpenApiDocuments current = documents.get();
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        for (String path : current.paths()) {
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + current.hash(path));
        }
        current.elsewhere().openApi().forEach((path, url) -> {
            if (current.isElsewhere(path)) {
                paths.putObject(path).put("serverRelativeURL", url);
            }
        });
        return index;
    }

    /** Whether another server has the document of a path. */
    public boolean isElsewhere(String path) {
        return documents.get().isElsewhere(path);
    }

    /** The answer of {@code /openapi/v3/PATH}, such as {@code apis/apps/v1}; null if the path is unknown. */
    public @Nullable ObjectNode v3(String path) {
        OpenApiDocuments current = documents.get();
        return current.paths().contains(path) ? current.v3(path) : null;
    }

    /**
     * A digest of a document's content, which the index contains as {@code hash} and which may serve as its ETag. The
     * answer to a request with this hash never changes; a request with another hash should be redirected. Null if the
     * path is unknown.
     */
    public @Nullable String v3Hash(String path) {
        OpenApiDocuments current = documents.get();
        return current.paths().contains(path) ? current.hash(path) : null;
    }

    /** The answer of {@code /openapi/v2} as JSON. */
    public ObjectNode v2() {
        return documents.get().v2();
    }

    /** A digest of the content of {@code /openapi/v2}, for its ETag. */
    public String v2Hash() {
        return documents.get().v2Hash();
    }

    /** The answer of {@code /openapi/v2} as gnostic's protobuf message. Do not change the array. */
    public byte[] v2Protobuf() {
        return documents.get().v2Protobuf();
    }
}
