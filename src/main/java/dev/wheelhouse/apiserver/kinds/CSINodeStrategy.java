package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.VolumeValidation;

/** The CSI drivers of a node (upstream: {@code pkg/registry/storage/csinode}). */
final class CSINodeStrategy extends Strategy {
    CSINodeStrategy() {
        super("storage.k8s.io", "CSINode", Set.of(Trait.UPDATED_BY_VERSION, Trait.RETURNS_DELETED),
                TableColumn.objectName(),
                TableColumn.integer("Drivers", "How many drivers the node has.", o -> o.size("spec", "drivers")),
                TableColumn.age());
    }

    @Override
    protected void validate(ObjectNode node, Problems problems) {
        Set<String> names = new HashSet<>();
        Problems.each(node.path("spec").path("drivers"), "spec.drivers", (driver, at) -> {
            String name = Json.text(driver, "name");
            VolumeValidation.driverName(name, at + ".name", problems);
            if (!name.isEmpty() && !names.add(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
            String id = Json.text(driver, "nodeID");
            if (id.isEmpty()) {
                problems.required(at + ".nodeID");
            } else if (id.length() > 256) {
                problems.invalid(at + ".nodeID", id, "must be 256 characters or less");
            }
            long count = Json.number(driver, 0, "allocatable", "count");
            if (count < 0) {
                problems.invalid(at + ".allocatable.count", count, "must be greater than or equal to 0");
            }
            Set<String> keys = new HashSet<>();
            for (JsonNode key : driver.path("topologyKeys")) {
                problems.unique(keys, key.asString(""), at + ".topologyKeys", key.toString());
                problems.invalid(at + ".topologyKeys", key.asString(""), Formats.qualifiedName(key.asString("")));
            }
        });
    }
}
