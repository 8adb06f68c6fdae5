package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.TableColumn;

/** Volume attributes classes (upstream: {@code pkg/registry/storage/volumeattributesclass}). */
final class VolumeAttributesClassStrategy extends Strategy {
    VolumeAttributesClassStrategy() {
        super("storage.k8s.io", "VolumeAttributesClass", TableColumn.objectName(),
                TableColumn.of("DriverName", "Driver that the attributes are for.", o -> o.text("driverName")),
                TableColumn.age());
    }
}
