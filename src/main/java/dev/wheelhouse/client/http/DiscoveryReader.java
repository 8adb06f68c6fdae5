package dev.wheelhouse.client.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient.Discovered;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.http.Transport.Outgoing;

/**
 * Reads discovery: the aggregated documents if the server has them, else one document for each group version (upstream:
 * client-go {@code discovery/discovery_client.go} and {@code aggregated_discovery.go}).
 */
final class DiscoveryReader {
    private static final String AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
            + "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    private static final String AGGREGATED_KIND = "APIGroupDiscoveryList";
    private static final List<String> WANTED_VERBS = List.of("list", "watch", "delete");

    private final Transport transport;
    /**
     * The types by group and plural name, each in the first version that serves it: discovery lists the best version
     * first.
     */
    private final Map<String, ResourceType> types = new LinkedHashMap<>();
    private final List<ResourceType> otherVersions = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    DiscoveryReader(Transport transport) {
        this.transport = transport;
    }

    /**
     * Reads which types the server serves.
     *
     * @throws KubeApiException if an answer is no discovery, from which controllers would conclude that there are no
     * objects
     */
    Discovered discover() {
        read(get("/api", "APIVersions"));
        if (types.isEmpty() && failures.isEmpty()) {
            throw new KubeApiException("discover /api",
                    new IOException("the answer names no resource of the core group: look "
                            + "for a proxy or a server that answers for the API server"));
        }
        read(get("/apis", "APIGroupList"));
        return new Discovered(List.copyOf(types.values()), List.copyOf(otherVersions), List.copyOf(failures));
    }

    /** @param kind the kind of the answer of a server without aggregated discovery */
    private JsonNode get(String path, String kind) {
        JsonNode document = parse(path, transport.send(
                new Outgoing("discover " + path, "GET", path, Map.of(), AGGREGATED, null, null)));
        return document.path("kind").asString("").equals(AGGREGATED_KIND)
                ? document
                : requireKind(kind, path, document);
    }

    private static JsonNode requireKind(String kind, String path, JsonNode document) {
        String found = document.path("kind").asString("");
        if (!found.equals(kind)) {
            throw new KubeApiException("discover " + path,
                    new IOException("the answer is of kind \"" + found + "\", not "
                            + kind + ": look for a proxy or a server that answers for the API server"));
        }
        return document;
    }

    private static JsonNode parse(String path, byte[] body) {
        try {
            return ModelJson.read(body, JsonNode.class);
        } catch (JacksonException e) {
            throw new KubeApiException("discover " + path, e);
        }
    }

    /** Reads the aggregated form, or the versions of the core group, or the list of the other groups. */
    private void read(JsonNode document) {
        if (document.path("kind").asString("").equals(AGGREGATED_KIND)) {
            aggregated(document);
            return;
        }
        for (JsonNode version : document.path("versions")) {
            resourceList("", version.asString(""), "/api/" + version.asString(""));
        }
        for (JsonNode group : document.path("groups")) {
            String name = group.path("name").asString("");
            String preferred = group.path("preferredVersion").path("version").asString("");
            if (!preferred.isEmpty()) {
                resourceList(name, preferred, "/apis/" + name + "/" + preferred);
            }
            for (JsonNode version : group.path("versions")) {
                String other = version.path("version").asString("");
                if (!other.equals(preferred)) {
                    resourceList(name, other, "/apis/" + name + "/" + other);
                }
            }
        }
    }

    private void aggregated(JsonNode document) {
        for (JsonNode group : document.path("items")) {
            String name = group.path("metadata").path("name").asString("");
            for (JsonNode version : group.path("versions")) {
                String versionName = version.path("version").asString("");
                if (version.path("freshness").asString("Current").equals("Stale")) {
                    String stale = describe(name, versionName);
                    failures.add(stale + ": stale GroupVersion discovery: " + stale);
                    continue;
                }
                for (JsonNode resource : version.path("resources")) {
                    JsonNode kind = resource.path("responseKind");
                    add(name, versionName, resource.path("resource").asString(""), kind.path("kind").asString(""),
                            resource.path("scope").asString("").equals("Namespaced"), verbs(resource));
                }
            }
        }
    }

    private void resourceList(String group, String version, String path) {
        JsonNode document;
        try {
            document = requireKind("APIResourceList", path,
                    parse(path, transport.send(Outgoing.get("discover " + path, path))));
        } catch (KubeApiException e) {
            failures.add(describe(group, version) + ": " + e.getMessage());
            return;
        }
        for (JsonNode resource : document.path("resources")) {
            String name = resource.path("name").asString("");
            if (!name.contains("/")) {
                add(group, version, name, resource.path("kind").asString(""),
                        resource.path("namespaced").asBoolean(false),
                        verbs(resource));
            }
        }
    }

    private static Set<String> verbs(JsonNode resource) {
        Set<String> verbs = new HashSet<>();
        resource.path("verbs").forEach(v -> verbs.add(v.asString("")));
        return verbs;
    }

    private void add(String group, String version, String plural, String kind, boolean namespaced, Set<String> verbs) {
        if (!plural.isEmpty() && !kind.isEmpty() && verbs.containsAll(WANTED_VERBS)) {
            ResourceType type = new ResourceType(group, version, plural, kind, namespaced);
            if (types.putIfAbsent(group + "/" + plural, type) != null) {
                otherVersions.add(type);
            }
        }
    }

    private static String describe(String group, String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }
}
