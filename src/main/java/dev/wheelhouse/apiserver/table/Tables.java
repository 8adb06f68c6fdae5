package dev.wheelhouse.apiserver.table;

import java.time.Instant;
import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.schema.ResourceInfo;

/** Objects as the rows that kubectl prints (upstream: {@code pkg/printers/internalversion}). */
public final class Tables {
    private Tables() {}

    /** How much of each object a row carries. */
    public enum IncludeObject {
        NONE, METADATA, OBJECT
    }

    /**
     * A {@code meta.k8s.io/v1 Table} of the objects.
     *
     * @param columns whether to give the column definitions (a watch gives them in its first event only)
     * @param listMeta the list's metadata; for a single object its resourceVersion alone
     */
    public static ObjectNode table(ResourceInfo resource, List<ObjectNode> objects, IncludeObject include,
            boolean columns,
            ObjectNode listMeta, Instant now) {
        throw new UnsupportedOperationException();
    }
}
