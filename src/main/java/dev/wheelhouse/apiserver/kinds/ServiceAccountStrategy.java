package dev.wheelhouse.apiserver.kinds;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Column;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Service accounts. One of them is in each namespace (upstream: {@code pkg/registry/core/serviceaccount}). */
final class ServiceAccountStrategy extends Strategy {
    private static final List<Column> COLUMNS = List.of(Column.objectName(), Column.age());

    ServiceAccountStrategy() {
        super("", "ServiceAccount");
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public void deleted(ResourceType type, ObjectNode object, ClusterState state) {
        NamespaceContents.refill(Meta.namespace(object), state);
    }
}
