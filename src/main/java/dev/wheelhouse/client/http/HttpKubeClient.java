package dev.wheelhouse.client.http;

import java.util.Map;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.decode.DecoderMemory;
import dev.wheelhouse.client.decode.ObjectDecoder;
import dev.wheelhouse.runtime.Clock;

/**
 * A connection to an API server. A {@link Transport} sends its requests; that of an official client also uses its
 * credentials and TLS. Answers are decoded as they arrive. Objects that are decoded for caches share their equal parts
 * with those of the same {@code HttpKubeClient}. {@link #close()} ends every call, watch, connection and thread.
 */
public final class HttpKubeClient implements KubeClient {
    /** The name of this project's clients. */
    static final String NAME = "wheelhouse";

    private final Transport transport;
    private final Negotiation negotiation;
    private final DecoderMemory memory;
    private final boolean shares;

    /**
     * @param api the official client, made by {@link KubeConfigs} or otherwise; its HTTP client is not closed
     * @param userAgent {@code NAME/VERSION}; the name is the field manager of this client's writes
     * @param contentType the encoding that this client prefers
     */
    public HttpKubeClient(ApiClient api, HttpDeadlines deadlines, String userAgent, ContentType contentType,
            Clock clock) {
        this(new HttpTransport(api, deadlines, userAgent, clock), new Negotiation(contentType), new DecoderMemory(),
                false);
    }

    /** A client that sends its requests by a transport, which it closes. */
    public HttpKubeClient(Transport transport, ContentType contentType, DecoderMemory memory) {
        this(transport, new Negotiation(contentType), memory, false);
    }

    HttpKubeClient(Transport transport, Negotiation negotiation, DecoderMemory memory, boolean shares) {
        this.transport = transport;
        this.negotiation = negotiation;
        this.memory = memory;
        this.shares = shares;
    }

    /** A client that prefers protobuf. */
    public HttpKubeClient(ApiClient api, HttpDeadlines deadlines, String userAgent, Clock clock) {
        this(api, deadlines, userAgent, ContentType.PROTOBUF, clock);
    }

    /** A client with the default deadlines and the name {@code wheelhouse}. */
    public HttpKubeClient(ApiClient api, ContentType contentType, Clock clock) {
        this(api, HttpDeadlines.defaults(), NAME, contentType, clock);
    }

    /** A client with the default deadlines and the name {@code wheelhouse} that prefers protobuf. */
    public HttpKubeClient(ApiClient api, Clock clock) {
        this(api, ContentType.PROTOBUF, clock);
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return resource(type, ObjectDecoder.of(type, model, memory), false);
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> metadata(ResourceType type, Class<T> model) {
        return resource(type, ObjectDecoder.ofMetadata(type, model, memory), true);
    }

    private <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, ObjectDecoder<T> decoder,
            boolean metadataOnly) {
        return new HttpResourceClient<>(transport, negotiation, type, shares ? decoder.forCaches() : decoder,
                metadataOnly);
    }

    @Override
    public KubeClient sharing() {
        return new HttpKubeClient(transport, negotiation, memory, true);
    }

    @Override
    public KubeClient withoutRetries() {
        return new HttpKubeClient(transport.withoutRetries(), negotiation, memory, shares);
    }

    /**
     * This client, which asks for compressed lists. They need less of a slow network, and more CPU time on both sides.
     * kube-apiserver compresses answers from 128 KiB on, and no watch.
     */
    public HttpKubeClient compressed() {
        return new HttpKubeClient(transport.compressed(), negotiation, memory, shares);
    }

    @Override
    public KubeClient asNode(String name) {
        return new HttpKubeClient(transport.asNode(name), negotiation, memory, shares);
    }

    /** @throws KubeApiException if the list of groups cannot be read */
    @Override
    public Discovered discover() {
        return new DiscoveryReader(transport).discover();
    }

    @Override
    public String server() {
        return transport.server();
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) {
        String tried = "get " + path;
        byte[] answer = transport
                .send(new Transport.Outgoing(tried, "GET", path, query, ContentType.JSON.mediaType(), null, null));
        try {
            return ModelJson.read(answer, JsonNode.class);
        } catch (JacksonException e) {
            throw new KubeApiException(tried, e);
        }
    }

    @Override
    public String serverVersion() {
        JsonNode version = ModelJson.read(
                transport.send(Transport.Outgoing.get("read the version of " + server(), "/version")),
                JsonNode.class);
        return version.path("gitVersion").asString("");
    }

    @Override
    public void close() {
        transport.close();
    }
}
