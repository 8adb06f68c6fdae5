package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Column;

/**
 * Service accounts. The server restores the default one of each namespace (upstream:
 * {@code pkg/registry/core/serviceaccount}).
 */
final class ServiceAccountStrategy extends Strategy {
    ServiceAccountStrategy() {
        super("", "ServiceAccount", Set.of(Trait.RETURNS_DELETED), Column.objectName(), Column.age());
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        NamespaceContents.refill(Meta.namespace(object), state);
    }
}
