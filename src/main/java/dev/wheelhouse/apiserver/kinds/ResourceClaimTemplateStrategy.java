package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.apiserver.table.TableColumn;

/** Templates of claims for devices (upstream: {@code pkg/registry/resource/resourceclaimtemplate}). */
final class ResourceClaimTemplateStrategy extends Strategy {
    ResourceClaimTemplateStrategy() {
        super("resource.k8s.io", "ResourceClaimTemplate", TableColumn.objectName(), TableColumn.age());
    }
}
