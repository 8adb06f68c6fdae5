package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Column;
import tools.jackson.databind.node.ObjectNode;

/**
 * Service accounts. The server restores the default one of each namespace (upstream:
 * {@code pkg/registry/core/serviceaccount}).
 */
final class ServiceAccountStrategy extends Strategy {
    ServiceAccountStrategy() {
        super("", "ServiceAccount", Column.objectName(), Column.age());
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        NamespaceContents.refill(Meta.namespace(object), state);
    }
}
