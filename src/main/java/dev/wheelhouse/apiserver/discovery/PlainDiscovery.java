package dev.wheelhouse.apiserver.discovery;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.ResourceInfo.Subresource;
import dev.wheelhouse.runtime.Hashes;

/** Writes the {@code APIResourceList} of one group version. */
final class PlainDiscovery {
    private PlainDiscovery() {}

    static ObjectNode resourceList(GroupVersions all, String group, String version, List<ResourceInfo> resources) {
        ObjectNode list = Json.object().put("kind", "APIResourceList");
        if (!group.isEmpty()) {
            list.put("apiVersion", "v1");
        }
        list.put("groupVersion", group.isEmpty() ? version : group + "/" + version);
        ArrayNode entries = list.putArray("resources");
        for (ResourceInfo resource : resources) {
            addResource(entries.addObject(), all, resource);
            resource.subresources().forEach(s -> addSubresource(entries.addObject(), resource, s));
        }
        return list;
    }

    private static void addResource(ObjectNode entry, GroupVersions all, ResourceInfo resource) {
        entry.put("name", resource.type().plural()).put("singularName", resource.singular())
                .put("namespaced", resource.type().namespaced()).put("kind", resource.type().kind());
        Json.putTexts(entry, "verbs", resource.verbs());
        Json.putTexts(entry, "shortNames", resource.shortNames());
        Json.putTexts(entry, "categories", resource.categories());
        if (resource.verbs().contains("watch")) {
            entry.put("storageVersionHash", storageVersionHash(all, resource));
        }
    }

    private static void addSubresource(ObjectNode entry, ResourceInfo resource, Subresource subresource) {
        entry.put("name", resource.type().plural() + "/" + subresource.name()).put("singularName", "")
                .put("namespaced", resource.type().namespaced());
        if (!subresource.version().isEmpty()) {
            entry.put("group", subresource.group()).put("version", subresource.version());
        }
        entry.put("kind", subresource.kind());
        Json.putTexts(entry, "verbs", subresource.verbs());
    }

    /** The first eight bytes of a digest. Clients only compare it. */
    private static String storageVersionHash(GroupVersions all, ResourceInfo resource) {
        String stored = resource.type().group() + "/" + all.storageVersion(resource) + "/" + resource.type().kind();
        byte[] digest = Hashes.of("SHA-256", stored.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(Arrays.copyOf(digest, 8));
    }
}
