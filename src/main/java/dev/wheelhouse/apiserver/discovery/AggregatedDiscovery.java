package dev.wheelhouse.apiserver.discovery;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.ResourceInfo.Subresource;

/**
 * The {@code APIGroupDiscoveryList}: all groups in one document (upstream: {@code api/apidiscovery/v2},
 * {@code apiserver/pkg/endpoints/discovery/aggregated}).
 */
final class AggregatedDiscovery {
    private AggregatedDiscovery() {}

    static ObjectNode list(GroupVersions all, boolean core) {
        ObjectNode document = Json.object().put("kind", "APIGroupDiscoveryList").put("apiVersion",
                "apidiscovery.k8s.io/v2");
        document.putObject("metadata");
        ArrayNode items = document.putArray("items");
        all.byGroup().forEach((group, versions) -> {
            if (group.isEmpty() == core) {
                ObjectNode item = items.addObject();
                ObjectNode metadata = item.putObject("metadata");
                if (!core) {
                    metadata.put("name", group);
                }
                ArrayNode entries = item.putArray("versions");
                versions.forEach((version, resources) -> {
                    ObjectNode entry = entries.addObject().put("version", version);
                    ArrayNode list = entry.putArray("resources");
                    resources.forEach(resource -> addResource(list.addObject(), resource));
                    entry.put("freshness", "Current");
                });
            }
        });
        return document;
    }

    /** In a built-in kind, an empty group and version stand for those of the entry. */
    private static void addResource(ObjectNode entry, ResourceInfo resource) {
        boolean custom = resource instanceof CustomResourceInfo;
        String group = custom ? resource.type().group() : "";
        String version = custom ? resource.type().version() : "";
        entry.put("resource", resource.type().plural());
        addKind(entry, group, version, resource.type().kind());
        entry.put("scope", resource.type().namespaced() ? "Namespaced" : "Cluster").put("singularResource",
                resource.singular());
        Json.putTexts(entry, "verbs", resource.verbs());
        Json.putTexts(entry, "shortNames", resource.shortNames());
        Json.putTexts(entry, "categories", resource.categories());
        if (!resource.subresources().isEmpty()) {
            ArrayNode list = entry.putArray("subresources");
            for (Subresource subresource : resource.subresources()) {
                ObjectNode sub = list.addObject().put("subresource", subresource.name());
                boolean own = subresource.version().isEmpty();
                addKind(sub, own ? group : subresource.group(), own ? version : subresource.version(),
                        subresource.kind());
                Json.putTexts(sub, "verbs", subresource.verbs());
            }
        }
    }

    private static void addKind(ObjectNode entry, String group, String version, String kind) {
        entry.putObject("responseKind").put("group", group).put("version", version).put("kind", kind);
    }
}
