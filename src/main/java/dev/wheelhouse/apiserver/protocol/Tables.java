package dev.wheelhouse.apiserver.protocol;

import java.time.Instant;
import java.util.List;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.kinds.Strategy;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.table.CustomPrinters;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * Renders objects as Tables, the rows that kubectl prints (upstream: {@code pkg/printers/internalversion},
 * {@code apiserver/pkg/registry/rest/table.go}). Stateless; safe for use by many threads.
 */
public final class Tables {
    /** The most characters of one row. Thousands of columns of a definition may all show one long text. */
    private static final int MOST_CHARACTERS = 1024 * 1024;
    /** Rows of up to this many characters are not charged to the request's memory: their objects are. */
    private static final int UNCHARGED = 1024;

    private static final List<TableColumn> OF_SCALES = List.of(TableColumn.objectName(),
            TableColumn.integer("Desired", "How many replicas are wanted.", o -> o.number("spec", "replicas")),
            TableColumn.integer("Available", "How many replicas there are.", o -> o.number("status", "replicas")),
            TableColumn.age());

    private Tables() {}

    /** How much of each object its row carries. */
    public enum IncludeObject {
        NONE, METADATA, OBJECT
    }

    /**
     * Creates a {@code meta.k8s.io/v1 Table}. A missing or malformed field affects only its cell. The table shares
     * nodes with the objects, so it must be written before they change.
     *
     * @param columns whether to add the column definitions; a watch sends them in its first event only
     * @param listMeta the metadata of the list; for a single object only its resourceVersion
     */
    public static ObjectNode table(ResourceInfo resource, List<ObjectNode> objects, IncludeObject include,
            boolean columns,
            ObjectNode listMeta, Instant now) {
        List<TableColumn> printer = columns(resource, objects);
        Strategy strategy = Strategies.of(resource.type());
        ObjectNode table = Json.object().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.set("metadata", listMeta);
        if (columns) {
            ArrayNode definitions = table.putArray("columnDefinitions");
            printer.forEach(column -> column.definition(definitions.addObject()));
        } else {
            table.putNull("columnDefinitions");
        }
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            Item item = new Item(object, now);
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            addCells(printer, cells, item);
            strategy.addRowConditions(item, row);
            addObject(resource, object, include, row);
        }
        return table;
    }

    /** All versions of a kind have the same columns. Objects of kind {@code Scale} have columns of their own. */
    private static List<TableColumn> columns(ResourceInfo resource, List<ObjectNode> objects) {
        if (!objects.isEmpty() && Json.text(objects.getFirst(), "kind").equals("Scale")) {
            return OF_SCALES;
        }
        CustomType custom = CustomResourceInfo.typeOf(resource);
        return custom != null ? CustomPrinters.of(custom) : Strategies.of(resource.type()).columns();
    }

    /** Cells after too many characters are not made, because each may need as many again. */
    private static void addCells(List<TableColumn> printer, ArrayNode cells, Item item) {
        Deadline.check();
        int characters = 0;
        for (TableColumn column : printer) {
            if (characters > MOST_CHARACTERS) {
                cells.add("<too long>");
            } else {
                column.addCell(cells, item);
                JsonNode last = cells.get(cells.size() - 1);
                characters += last.isString() ? last.stringValue().length() : 0;
            }
        }
        if (characters > UNCHARGED) {
            Allowance.take(characters);
        }
    }

    private static void addObject(ResourceInfo resource, ObjectNode object, IncludeObject include, ObjectNode row) {
        switch (include) {
            case NONE -> row.putNull("object");
            case METADATA -> {
                ObjectNode partial = row.putObject("object").put("kind", "PartialObjectMetadata").put("apiVersion",
                        "meta.k8s.io/v1");
                partial.set("metadata", object.get("metadata") instanceof ObjectNode metadata
                        ? metadata
                        : Json.object());
            }
            case OBJECT -> row.set("object", object.has("kind") ? object : withKind(resource, object));
        }
    }

    private static ObjectNode withKind(ResourceInfo resource, ObjectNode object) {
        ObjectNode named = Json.object().put("kind", resource.type().kind()).put("apiVersion",
                resource.type().apiVersion());
        return named.setAll(object);
    }
}
