package dev.wheelhouse.apiserver.store;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ShardSelector;

/**
 * Selects objects of one resource by namespace, labels, fields and shard.
 *
 * @param namespace empty for all namespaces
 * @param shard null for all shards
 */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields, @Nullable ShardSelector shard) {
    private static final Selection ALL = new Selection("", LabelSelector.everything(), FieldSelector.everything());

    /** Selects objects of all shards. */
    public Selection(String namespace, LabelSelector labels, FieldSelector fields) {
        this(namespace, labels, fields, null);
    }

    public static Selection all() {
        return ALL;
    }

    /** Selects all objects of a namespace. */
    public static Selection inNamespace(String namespace) {
        return new Selection(namespace, LabelSelector.everything(), FieldSelector.everything());
    }

    public boolean matches(StoredObject object) {
        return (namespace.isEmpty() || namespace.equals(object.namespace()))
                && (shard == null || shard.matches(
                        shard.field().equals(ShardSelector.UID) ? object.uid() : object.namespace()))
                && (labels.isEverything() || labels.matches(object.labels()))
                && (fields.isEverything() || fields.matches(object::field));
    }

    /** Whether it has a label or field selector. */
    public boolean isFiltered() {
        return !labels.isEverything() || !fields.isEverything();
    }
}
