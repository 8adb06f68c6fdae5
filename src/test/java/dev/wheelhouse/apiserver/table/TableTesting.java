package dev.wheelhouse.apiserver.table;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Tables;
import dev.wheelhouse.apiserver.protocol.Tables.IncludeObject;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

import static java.util.Objects.requireNonNull;

/** Objects in short notation, and the cells of their rows. */
final class TableTesting {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final String CREATED = "{name: 'x', creationTimestamp: '2026-03-01T11:57:00Z'}";
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();
    private static final JsonMapper RELAXED = JsonMapper.builder().enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES).build();

    private TableTesting() {}

    /** An object; one without metadata is called x and three minutes old. */
    static ObjectNode object(String json) {
        return named((ObjectNode) RELAXED.readTree("{" + json + "}"));
    }

    private static ObjectNode named(ObjectNode object) {
        if (!object.has("metadata")) {
            object.set("metadata", RELAXED.readTree(CREATED));
        }
        return object;
    }

    /** @param path as in {@code apps/v1/deployments}, {@code v1/pods} */
    static ResourceInfo resource(String path) {
        String[] parts = path.split("/");
        return requireNonNull(parts.length == 2
                ? REGISTRY.find("", parts[0], parts[1])
                : REGISTRY.find(parts[0], parts[1], parts[2]), path);
    }

    static ObjectNode table(String path, IncludeObject include, ObjectNode... objects) {
        return Tables.table(resource(path), Arrays.asList(objects), include, true, Json.object(), NOW);
    }

    /** The cells of the one row of this object. */
    static List<Object> cells(String path, String json) {
        return cells(table(path, IncludeObject.NONE, object(json)), 0);
    }

    static JsonNode row(String path, ObjectNode object) {
        return table(path, IncludeObject.NONE, named(object.deepCopy())).at("/rows/0/cells");
    }

    static List<Object> cells(ObjectNode table, int row) {
        List<Object> cells = new ArrayList<>();
        for (JsonNode cell : requireNonNull(table.get("rows").get(row).get("cells"))) {
            cells.add(cell.isNull()
                    ? "null"
                    : cell.isBoolean()
                            ? (Object) cell.booleanValue()
                            : cell.isIntegralNumber() ? (Object) cell.longValue() : cell.stringValue());
        }
        return cells;
    }

    /** The names of the columns; those of the wide output in parentheses. */
    static List<String> columns(String path) {
        List<String> names = new ArrayList<>();
        table(path, IncludeObject.NONE).get("columnDefinitions").forEach(c -> names.add(
                c.get("priority").intValue() == 0
                        ? c.get("name").stringValue()
                        : "(" + c.get("name").stringValue() + ")"));
        return names;
    }
}
