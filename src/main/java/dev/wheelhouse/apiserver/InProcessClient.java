package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * A client of an embedded API server in the same process, without sockets. It never waits: a watch answers null if
 * there is no event, so one thread can step a whole system. Objects are passed as JSON, so they are never shared with
 * the server. Thread safe.
 */
public final class InProcessClient implements KubeClient {
    private final ApiServer server;
    private final String userAgent;

    InProcessClient(ApiServer server, String userAgent) {
        this.server = server;
        this.userAgent = userAgent;
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new InProcessResource<>(server, userAgent, type, model, "application/json",
                "application/json");
    }

    @Override
    public ResourceClient<PartialObjectMetadata> metadata(ResourceType type) {
        return new InProcessResource<>(server, userAgent, type, PartialObjectMetadata.class,
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    }

    @Override
    public Discovered discover() {
        List<ResourceType> types = new ArrayList<>();
        List<ResourceType> otherVersions = new ArrayList<>();
        Set<String> seen = new TreeSet<>();
        for (ResourceInfo resource : server.rest().registry().all()) {
            if (resource.verbs().containsAll(List.of("list", "watch", "delete"))) {
                (seen.add(resource.type().groupResource()) ? types : otherVersions).add(resource.type());
            }
        }
        return new Discovered(List.copyOf(types), List.copyOf(otherVersions), List.of());
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) {
        String encoded = Arrays.stream(path.split("/", -1)).map(InProcessResource::encode)
                .collect(Collectors.joining("/"));
        ApiRequest request = ApiRequest.of("GET", encoded + InProcessResource.query(query), null)
                .withUserAgent(userAgent);
        return Json.read(InProcessResource.content(server, "get " + path, request));
    }

    @Override
    public String server() {
        return "in-process";
    }

    @Override
    public String serverVersion() {
        return Json.text(read("/version", Map.of()), "gitVersion");
    }

    /** Does nothing. The owner of the server closes it. */
    @Override
    public void close() {
        // There is no connection to close.
    }
}
