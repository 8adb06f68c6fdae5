package dev.wheelhouse.facts.generate;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The lines of {@code resources.tsv}, from the discovery documents that Kubernetes publishes. */
final class ResourceTable {
    private static final JsonMapper JSON = new JsonMapper();

    private final Path discovery;
    private final List<String> lines = new ArrayList<>(List.of(
            "group\tversion\tresource\tkind\tscope\tsingular\tshortNames\tcategories\tverbs"));

    private ResourceTable(Path discovery) {
        this.discovery = discovery;
    }

    /**
     * Groups and versions in discovery's order, resources by name.
     *
     * @param discovery the folder {@code api/discovery}
     */
    static List<String> lines(Path discovery) throws IOException {
        ResourceTable table = new ResourceTable(discovery);
        for (JsonNode version : table.read("api").path("versions")) {
            table.add("core", version.asString(), table.read("api__" + version.asString()));
        }
        for (JsonNode group : table.read("apis").path("groups")) {
            String name = group.path("name").asString();
            for (JsonNode version : group.path("versions")) {
                String number = version.path("version").asString();
                table.add(name, number, table.read("apis__" + name + "__" + number));
            }
        }
        return table.lines;
    }

    private JsonNode read(String name) throws IOException {
        return JSON.readTree(discovery.resolve(name + ".json").toFile());
    }

    private void add(String group, String version, JsonNode document) {
        TreeMap<String, JsonNode> resources = new TreeMap<>();
        document.path("resources").forEach(resource -> resources.put(resource.path("name").asString(), resource));
        resources.forEach((name, resource) -> lines.add(String.join("\t", group, version, name, kind(resource),
                resource.path("namespaced").asBoolean() ? "namespaced" : "cluster",
                resource.path("singularName").asString(""), list(resource, "shortNames"),
                list(resource, "categories"), list(resource, "verbs"))));
    }

    /** A kind of another group version than its resource has that before it, as {@code autoscaling/v1 Scale}. */
    private static String kind(JsonNode resource) {
        String kind = resource.path("kind").asString();
        String group = resource.path("group").asString("");
        return group.isEmpty() ? kind : group + "/" + resource.path("version").asString() + " " + kind;
    }

    private static String list(JsonNode resource, String field) {
        List<String> texts = new ArrayList<>();
        resource.path(field).forEach(text -> texts.add(text.asString()));
        return String.join(",", texts);
    }
}
