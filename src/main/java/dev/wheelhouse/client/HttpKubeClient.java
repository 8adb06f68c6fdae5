package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/**
 * A connection to an API server over HTTP. Authentication and TLS are those of the official client that it is made from;
 * requests and answers are our own, decoded as they arrive. {@link #close()} ends every call, watch, connection and thread.
 */
public final class HttpKubeClient implements KubeClient {
    private final HttpTransport transport;

    /**
     * @param api the official client, made by {@link KubeConfigs} or otherwise; its HTTP client is not closed
     * @param userAgent {@code NAME/VERSION}; the name is the field manager of this client's writes
     */
    public HttpKubeClient(ApiClient api, HttpDeadlines deadlines, String userAgent) {
        this.transport = new HttpTransport(api, deadlines, userAgent);
    }

    /** With the default deadlines, as {@code wheelhouse}. */
    public HttpKubeClient(ApiClient api) {
        this(api, HttpDeadlines.defaults(), "wheelhouse");
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new HttpResourceClient<>(transport, type, new ObjectDecoder<>(type, model, false), HttpTransport.JSON,
                HttpTransport.JSON);
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return new HttpResourceClient<>(transport, type, new ObjectDecoder<>(type, PartialObjectMetadata.class, true),
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    }

    /** @throws ApiError if not even the list of groups can be read */
    @Override
    public Discovered discover() {
        return new DiscoveryReader(transport).discover();
    }

    @Override
    public String server() {
        return transport.server();
    }

    @Override
    public String serverVersion() {
        JsonNode version = ModelJson.read(
                transport.send(HttpTransport.Outgoing.get("read the version of " + server(), "/version")),
                JsonNode.class);
        return version.path("gitVersion").asString("");
    }

    @Override
    public void close() {
        transport.close();
    }
}
