package dev.wheelhouse.apiserver.protocol;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.kinds.Strategies;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.table.CustomPrinters;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.facts.ResourceInfo;

/** Finds the Table columns of a kind. All versions of a kind share them. */
final class Printers {
    private static final List<TableColumn> SCALE = List.of(TableColumn.objectName(),
            TableColumn.integer("Desired", "How many replicas are wanted.", o -> o.number("spec", "replicas")),
            TableColumn.integer("Available", "How many replicas there are.", o -> o.number("status", "replicas")),
            TableColumn.age());

    private Printers() {}

    /**
     * The columns for objects of the resource. Objects of kind {@code Scale}, which a subresource returns, have columns
     * of their own.
     */
    static List<TableColumn> of(ResourceInfo resource, List<ObjectNode> objects) {
        if (!objects.isEmpty() && Json.text(objects.getFirst(), "kind").equals("Scale")) {
            return SCALE;
        }
        if (resource instanceof CustomResourceInfo defined) {
            return CustomPrinters.of(defined.custom());
        }
        return Strategies.of(resource.type()).columns();
    }
}
