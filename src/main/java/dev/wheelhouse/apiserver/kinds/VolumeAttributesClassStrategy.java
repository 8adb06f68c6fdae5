package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;

/** Volume attributes classes (upstream: {@code pkg/registry/storage/volumeattributesclass}). */
final class VolumeAttributesClassStrategy extends Strategy {
    VolumeAttributesClassStrategy() {
        super("storage.k8s.io", "VolumeAttributesClass", Column.objectName(),
                Column.of("DriverName", "Driver that the attributes are for.", o -> o.text("driverName")),
                Column.age());
    }
}
