package dev.wheelhouse.apiserver.store;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;

/**
 * Selects objects of one resource by namespace, labels and fields.
 *
 * @param namespace empty for all namespaces
 */
public record Selection(String namespace, LabelSelector labels, FieldSelector fields) {
    private static final Selection ALL = new Selection("", LabelSelector.everything(), FieldSelector.everything());

    public static Selection all() {
        return ALL;
    }

    /** Selects all objects of a namespace. */
    public static Selection inNamespace(String namespace) {
        return new Selection(namespace, LabelSelector.everything(), FieldSelector.everything());
    }

    public boolean matches(StoredObject object) {
        return (namespace.isEmpty() || namespace.equals(object.namespace()))
                && (labels.isEverything() || labels.matches(object.labels()))
                && (fields.isEverything() || fields.matches(object::field));
    }

    /** Whether it has a label or field selector. */
    public boolean isFiltered() {
        return !labels.isEverything() || !fields.isEverything();
    }
}
