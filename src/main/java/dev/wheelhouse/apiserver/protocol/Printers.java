package dev.wheelhouse.apiserver.protocol;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.table.AllPrinters;
import dev.wheelhouse.apiserver.table.Column;
import dev.wheelhouse.apiserver.table.CustomPrinters;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;

/** Finds the Table columns of a kind. All versions of a kind share them. */
final class Printers {
    private static final List<Column> BUILT_IN_DEFAULT = List.of(Column.objectName(), Column.createdAt());
    private static final List<Column> CUSTOM_DEFAULT = List.of(Column.objectName(), Column.age());
    private static final List<Column> SCALE = List.of(Column.objectName(),
            Column.integer("Desired", "How many replicas are wanted.", o -> o.number("spec", "replicas")),
            Column.integer("Available", "How many replicas there are.", o -> o.number("status", "replicas")),
            Column.age());
    private static final Map<String, List<Column>> BY_GROUP_KIND = AllPrinters.all();

    private Printers() {}

    /**
     * The columns for objects of the resource. Objects of kind {@code Scale}, which a subresource returns, have columns
     * of their own.
     */
    static List<Column> of(ResourceInfo resource, List<ObjectNode> objects) {
        if (!objects.isEmpty() && Json.text(objects.getFirst(), "kind").equals("Scale")) {
            return SCALE;
        }
        if (resource instanceof CustomResourceInfo defined) {
            return CustomPrinters.of(defined.custom());
        }
        ResourceType type = resource.type();
        List<Column> ofKind = Strategies.of(type).columns();
        if (ofKind != null) {
            return ofKind;
        }
        List<Column> columns = BY_GROUP_KIND.get(type.group() + "/" + type.kind());
        if (columns != null) {
            return columns;
        }
        return Schemas.ofKind(type.apiVersion(), type.kind()) != null ? BUILT_IN_DEFAULT : CUSTOM_DEFAULT;
    }
}
