package dev.wheelhouse.apiserver.discovery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Hashes;

/**
 * The discovery documents of a registry (upstream: {@code apiserver/pkg/endpoints/discovery}). They are created once
 * for each state of the registry and shared by all callers, who must not change them. Thread safe.
 */
public final class Discovery {
    private final Supplier<Documents> documents;

    /** @param others served resources that are not in the registry */
    public Discovery(ResourceRegistry registry, List<ResourceInfo> others) {
        this(registry, others, () -> Elsewhere.NOTHING);
    }

    /** @param elsewhere what other servers serve; the same instance until that changes */
    public Discovery(ResourceRegistry registry, List<ResourceInfo> others, Supplier<Elsewhere> elsewhere) {
        this.documents = registry.derived(elsewhere,
                (served, more) -> Documents.of(Stream.concat(served.stream(), others.stream()), more));
    }

    /**
     * The answer of {@code /api}.
     *
     * @param address of the server, as {@code host:port}
     */
    public static ObjectNode apiVersions(String address) {
        return (ObjectNode) Json.read("""
                {"kind": "APIVersions", "versions": ["v1"],
                 "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "ADDRESS"}]}"""
                .replace("ADDRESS", address));
    }

    /** The answer of {@code /apis}. */
    public ObjectNode apiGroupList() {
        return documents.get().groupList;
    }

    /** The answer of {@code /apis/GROUP}; null if the group is unknown. */
    public @Nullable ObjectNode apiGroup(String group) {
        return documents.get().groups.get(group);
    }

    /** The answer of {@code /api/v1} or {@code /apis/GROUP/VERSION}; null if the version is unknown. */
    public @Nullable ObjectNode apiResourceList(String group, String version) {
        return documents.get().resourceLists.get(group + "/" + version);
    }

    /**
     * The aggregated answer of {@code /api} or {@code /apis}.
     *
     * @param core whether for {@code /api}
     */
    public Aggregated aggregated(boolean core) {
        return core ? documents.get().core : documents.get().aggregated;
    }

    /** An {@code APIGroupDiscoveryList} and its ETag. */
    public record Aggregated(ObjectNode document, String tag) {
        static Aggregated of(ObjectNode list) {
            return new Aggregated(list, "\"" + OpenApiDocuments.hex(Hashes.of("SHA-512", Json.bytes(list))) + "\"");
        }
    }

    private record Documents(ObjectNode groupList, Map<String, ObjectNode> groups,
            Map<String, ObjectNode> resourceLists, Aggregated core, Aggregated aggregated) {

        static Documents of(Stream<ResourceInfo> served, Elsewhere elsewhere) {
            GroupVersions all = GroupVersions.of(served.toList());
            Map<String, ObjectNode> groups = new LinkedHashMap<>();
            Map<String, ObjectNode> resourceLists = new LinkedHashMap<>();
            all.byGroup().forEach((group, versions) -> versions
                    .forEach((version, resources) -> resourceLists.put(group + "/" + version,
                            PlainDiscovery.resourceList(all, group, version, resources))));
            ObjectNode aggregated = AggregatedDiscovery.list(all, false);
            elsewhere.addTo(aggregated);
            aggregated.path("items").forEach(item -> {
                String group = Json.text(item, "metadata", "name");
                groups.put(group, group(group, item.path("versions").valueStream()
                        .map(version -> Json.text(version, "version")).toList()));
            });
            return new Documents(groupList(groups), groups, resourceLists,
                    Aggregated.of(AggregatedDiscovery.list(all, true)), Aggregated.of(aggregated));
        }

        private static ObjectNode group(String group, List<String> versions) {
            ObjectNode node = Json.object().put("kind", "APIGroup").put("apiVersion", "v1").put("name", group);
            ArrayNode list = node.putArray("versions");
            versions.forEach(version -> list.add(groupVersion(group, version)));
            node.set("preferredVersion", groupVersion(group, versions.getFirst()));
            return node;
        }

        private static ObjectNode groupVersion(String group, String version) {
            return Json.object().put("groupVersion", group + "/" + version).put("version", version);
        }

        private static ObjectNode groupList(Map<String, ObjectNode> groups) {
            ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
            ArrayNode entries = list.putArray("groups");
            groups.values().forEach(group -> {
                ObjectNode entry = group.deepCopy();
                entry.remove(List.of("kind", "apiVersion"));
                entries.add(entry);
            });
            return list;
        }
    }
}
