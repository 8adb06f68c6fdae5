package dev.wheelhouse.facts.generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.facts.generate.GoDeclarations.GoField;

/** The types that Kubernetes' OpenAPI documents of version 3 describe, as the lines of {@code types.tsv}. */
final class TypeTable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String EXTENSION = "x-kubernetes-";
    private static final String KINDS = EXTENSION + "group-version-kind";

    private final Map<String, JsonNode> schemas;
    private final GoDeclarations go;

    private TypeTable(Map<String, JsonNode> schemas, GoDeclarations go) {
        this.schemas = schemas;
        this.go = go;
    }

    /** Reads all documents of the folder. @throws IllegalStateException if two documents disagree about a type */
    static TypeTable read(Path openApi, GoDeclarations go) throws IOException {
        Map<String, JsonNode> schemas = new TreeMap<>();
        List<Path> documents;
        try (Stream<Path> all = Files.list(openApi)) {
            documents = all.filter(f -> f.toString().endsWith(".json")).sorted().toList();
        }
        for (Path document : documents) {
            JSON.readTree(document.toFile()).at("/components/schemas").properties()
                    .forEach(schema -> schemas.merge(schema.getKey(), schema.getValue(),
                            (one, other) -> merge(schema.getKey(), (ObjectNode) one, (ObjectNode) other)));
        }
        return new TypeTable(schemas, go);
    }

    /** A type that claims other kinds in another document, such as DeleteOptions, is no kind. */
    private static JsonNode merge(String name, ObjectNode one, ObjectNode other) {
        if (!one.path(KINDS).equals(other.path(KINDS))) {
            one.remove(KINDS);
            other.remove(KINDS);
        }
        if (!one.equals(other)) {
            throw new IllegalStateException("two documents disagree about " + name + ": they are not of one release");
        }
        return one;
    }

    /** The lines of {@code types.tsv}: types by name, and the fields of each by name. */
    List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, JsonNode> schema : schemas.entrySet()) {
            addType(schema.getKey(), schema.getValue(), lines);
        }
        return lines;
    }

    /** The lines of {@code descriptions.tsv}: type, field ({@code -} for the type itself), text with Java's escapes. */
    List<String> descriptions() {
        List<String> lines = new ArrayList<>();
        schemas.forEach((name, schema) -> {
            describe(name + "\t-\t", schema, lines);
            fields(schema).forEach((field, property) -> describe(name + "\t" + field + "\t", property, lines));
        });
        return lines;
    }

    private static void describe(String name, JsonNode schema, List<String> lines) {
        String text = schema.path("description").asString("");
        if (!text.isEmpty()) {
            lines.add(name + text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t"));
        }
    }

    private static Map<String, JsonNode> fields(JsonNode schema) {
        Map<String, JsonNode> fields = new TreeMap<>();
        schema.path("properties").properties().forEach(p -> fields.put(p.getKey(), p.getValue()));
        return fields;
    }

    private void addType(String name, JsonNode schema, List<String> lines) throws IOException {
        StringBuilder head = new StringBuilder("type\t" + name + "\t" + kind(schema));
        List<String> kinds = new ArrayList<>();
        schema.path(KINDS).forEach(k -> kinds.add(
                (k.path("group").asString().isEmpty() ? "core" : k.path("group").asString()) + "/"
                        + k.path("version").asString() + " " + k.path("kind").asString()));
        if (!kinds.isEmpty()) {
            head.append("\tgvk=").append(String.join(",", kinds));
        }
        lines.add(head.toString());
        Map<String, GoField> declared = go.fields(name);
        TreeSet<String> required = new TreeSet<>();
        schema.path("required").forEach(r -> required.add(r.asString()));
        for (Map.Entry<String, JsonNode> field : fields(schema).entrySet()) {
            GoField inGo = declared.get(field.getKey());
            if (inGo == null) {
                throw new IllegalStateException(name + "." + field.getKey() + " is in OpenAPI and not in Go");
            }
            lines.add("field\t" + name + "\t" + field.getKey() + "\t"
                    + type(field.getValue()) + attributes(field.getValue(), required.contains(field.getKey()), inGo));
        }
        String map = schema.path(EXTENSION + "map-type").asString("");
        if (!map.isEmpty()) {
            lines.add("typeAttr\t" + name + "\tmap=" + map);
        }
    }

    private static String kind(JsonNode schema) {
        if (schema.has("oneOf")) {
            List<String> types = new ArrayList<>();
            schema.path("oneOf").forEach(one -> types.add(one.path("type").asString()));
            return String.join("|", types);
        }
        return schema.has("type") ? primitive(schema) : "any";
    }

    private static String primitive(JsonNode schema) {
        String format = schema.path("format").asString("");
        return schema.path("type").asString() + (format.isEmpty() ? "" : "(" + format + ")");
    }

    private static String type(JsonNode property) {
        if (property.has("items")) {
            return "[]" + type(property.get("items"));
        }
        if (property.has("additionalProperties")) {
            return "map " + type(property.get("additionalProperties"));
        }
        JsonNode ref = property.has("allOf") ? property.get("allOf").get(0).path("$ref") : property.path("$ref");
        String path = ref.asString("");
        return path.isEmpty() ? primitive(property) : path.substring(path.lastIndexOf('/') + 1);
    }

    private static String attributes(JsonNode property, boolean required, GoField go) {
        StringBuilder attributes = new StringBuilder();
        if (required) {
            attributes.append("\trequired");
        }
        JsonNode byDefault = property.path("default");
        if (!byDefault.isMissingNode() && !byDefault.isObject()
                && !(byDefault.isString() && byDefault.asString().isEmpty() && go.always())) {
            attributes.append("\tdefault=").append(byDefault);
        }
        add(attributes, "enum", property.path("enum"));
        add(attributes, "list", property.path(EXTENSION + "list-type"));
        add(attributes, "keys", property.path(EXTENSION + "list-map-keys"));
        add(attributes, "map", property.path(EXTENSION + "map-type"));
        add(attributes, "patch", property.path(EXTENSION + "patch-strategy"));
        add(attributes, "mergeKey", property.path(EXTENSION + "patch-merge-key"));
        if (go.pointer()) {
            attributes.append("\tpointer");
        }
        if (go.always()) {
            attributes.append("\talways");
        }
        if (!go.scalarName().isEmpty()) {
            attributes.append("\tgo=").append(go.scalarName());
        }
        if (!go.numbers().isEmpty()) {
            attributes.append("\tpb=").append(go.numbers());
        }
        return attributes.toString();
    }

    private static void add(StringBuilder attributes, String name, JsonNode value) {
        if (value instanceof ArrayNode array) {
            List<String> texts = new ArrayList<>();
            array.forEach(text -> texts.add(text.asString()));
            attributes.append('\t').append(name).append('=').append(String.join(",", texts));
        } else if (!value.isMissingNode()) {
            attributes.append('\t').append(name).append('=').append(value.asString());
        }
    }
}
