package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.Column;

/** Devices that a driver offers (upstream: {@code pkg/registry/resource/resourceslice}). */
final class ResourceSliceStrategy extends Strategy {
    ResourceSliceStrategy() {
        super("resource.k8s.io", "ResourceSlice", Column.objectName(),
                Column.of("Node", "Node that has the devices.", o -> o.text("spec", "nodeName")),
                Column.of("Driver", "Driver of the devices.", o -> o.text("spec", "driver")),
                Column.of("Pool", "Pool that the devices belong to.", o -> o.text("spec", "pool", "name")),
                Column.age());
    }
}
