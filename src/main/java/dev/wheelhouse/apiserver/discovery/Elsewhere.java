package dev.wheelhouse.apiserver.discovery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.KubeVersions;

/**
 * The APIs of servers that extend this one, in the forms of the documents to which they are added (upstream:
 * {@code kube-aggregator/pkg/apiserver/handler_discovery.go}, {@code controllers/openapi/aggregator}).
 *
 * @param entries of aggregated discovery, by {@code GROUP/VERSION}
 * @param priorities of all groups, and of their versions by {@code GROUP/VERSION}, as the APIServices say
 * @param openApi the URLs of documents of OpenAPI v3, by their paths
 * @param v2 {@link #part parts} of OpenAPI v2
 */
public record Elsewhere(Map<String, ObjectNode> entries, Map<String, Long> priorities, Map<String, String> openApi,
        List<ObjectNode> v2) {
    public static final Elsewhere NOTHING = new Elsewhere(Map.of(), Map.of(), Map.of(), List.of());
    /** The priority of the APIs of this server that have no APIService: the metrics APIs. */
    private static final long WITHOUT_SERVICE = 100;
    private static final String FIRST = "apiregistration.k8s.io";
    private static final String DEFINITION = "#/definitions/";

    /** Adds the group versions to an APIGroupDiscoveryList, in place of its own ones, and sorts it. */
    void addTo(ObjectNode list) {
        if (entries.isEmpty()) {
            return;
        }
        Map<String, Map<String, JsonNode>> groups = new LinkedHashMap<>();
        for (JsonNode group : list.path("items")) {
            group.path("versions").forEach(version -> groups
                    .computeIfAbsent(Json.text(group, "metadata", "name"), name -> new LinkedHashMap<>())
                    .put(Json.text(version, "version"), version));
        }
        entries.forEach((name, entry) -> groups
                .computeIfAbsent(name.substring(0, name.indexOf('/')), group -> new LinkedHashMap<>())
                .put(Json.text(entry, "version"), entry));
        ArrayNode items = list.putArray("items");
        groups.entrySet().stream().sorted(Comparator
                .comparingLong((Map.Entry<String, ?> group) -> group.getKey().equals(FIRST)
                        ? Long.MIN_VALUE
                        : -priority(group.getKey()))
                .thenComparing(Map.Entry::getKey)).forEach(group -> {
                    ObjectNode item = items.addObject();
                    item.putObject("metadata").put("name", group.getKey());
                    ArrayNode versions = item.putArray("versions");
                    List<String> names = new ArrayList<>(group.getValue().keySet());
                    names.sort(Comparator
                            .comparingLong((String version) -> -priority(group.getKey() + "/" + version))
                            .thenComparing(KubeVersions.PREFERRED_FIRST));
                    names.forEach(version -> versions.add(group.getValue().get(version)));
                });
    }

    private long priority(String name) {
        return priorities.getOrDefault(name, WITHOUT_SERVICE);
    }

    /**
     * The entry of aggregated discovery for an APIResourceList (upstream: {@code ConvertGroupVersionIntoToDiscovery}).
     */
    public static ObjectNode entry(String version, JsonNode list) {
        ObjectNode entry = Json.object().put("version", version);
        ArrayNode resources = entry.putArray("resources");
        Map<String, ObjectNode> byName = new LinkedHashMap<>();
        for (JsonNode each : list.path("resources")) {
            String[] name = Json.text(each, "name").split("/", 2);
            ObjectNode parent = byName.computeIfAbsent(name[0], resource -> {
                ObjectNode made = resources.addObject().put("resource", resource);
                made.putObject("responseKind");
                return made.put("scope", each.path("namespaced").asBoolean(false) ? "Namespaced" : "Cluster")
                        .put("singularResource", Json.text(each, "singularName"));
            });
            ObjectNode to = name.length == 1
                    ? parent
                    : Dialect.array(parent, "subresources").addObject().put("subresource", name[1]);
            to.putObject("responseKind").put("group", Json.text(each, "group"))
                    .put("version", Json.text(each, "version")).put("kind", Json.text(each, "kind"));
            for (String field : List.of("verbs", "shortNames", "categories")) {
                Json.putTexts(to, field, Json.texts(each.path(field)));
            }
        }
        return entry.put("freshness", "Current");
    }

    /** The paths of a document of OpenAPI v2 below a prefix, with the definitions that they need; null for none. */
    public static @Nullable ObjectNode part(JsonNode document, String prefix) {
        ObjectNode part = Json.object();
        ObjectNode paths = part.putObject("paths");
        ObjectNode definitions = part.putObject("definitions");
        document.path("paths").properties().forEach(path -> {
            if (path.getKey().startsWith(prefix)) {
                paths.set(path.getKey(), path.getValue());
            }
        });
        Deque<JsonNode> unread = new ArrayDeque<>(List.of(paths));
        while (!unread.isEmpty()) {
            for (String ref : unread.pop().findValuesAsString("$ref")) {
                String name = ref.substring(ref.startsWith(DEFINITION) ? DEFINITION.length() : 0);
                JsonNode definition = document.path("definitions").path(name);
                if (definition.isObject() && !definitions.has(name)) {
                    definitions.set(name, definition);
                    unread.add(definition);
                }
            }
        }
        return paths.isEmpty() ? null : part;
    }

    /** Adds the parts to a document of OpenAPI v2. A definition that it has stays as it is. */
    void addTo(ObjectNode paths, ObjectNode definitions) {
        for (ObjectNode part : v2) {
            part.path("paths").properties().forEach(path -> paths.set(path.getKey(), path.getValue()));
            Json.copyMissing(part.path("definitions"), definitions);
        }
    }
}
