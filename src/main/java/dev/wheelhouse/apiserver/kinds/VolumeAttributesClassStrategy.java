package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.VolumeValidation;

/** Volume attributes classes (upstream: {@code pkg/registry/storage/volumeattributesclass}). */
final class VolumeAttributesClassStrategy extends Strategy {
    VolumeAttributesClassStrategy() {
        super("storage.k8s.io", "VolumeAttributesClass", TableColumn.objectName(),
                TableColumn.of("DriverName", "Driver that the attributes are for.", o -> o.text("driverName")),
                TableColumn.age());
    }

    @Override
    protected void validate(ObjectNode attributes, Problems problems) {
        VolumeValidation.driverName(Json.text(attributes, "driverName"), "driverName", problems);
        if (attributes.path("parameters").isEmpty()) {
            problems.required("parameters", "must contain at least one key/value pair");
        }
    }

    @Override
    protected void validateUpdate(ObjectNode attributes, ObjectNode old, Problems problems) {
        for (String field : List.of("driverName", "parameters")) {
            if (!attributes.path(field).equals(old.path(field))) {
                problems.forbidden(field, "updates to " + field + " are forbidden.");
            }
        }
    }
}
