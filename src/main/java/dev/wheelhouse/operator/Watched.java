package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Limits what is cached of a type, and which of its changes lead to a reconciliation. Each method returns this object.
 */
public interface Watched<T extends KubernetesObject> {
    /** Only these namespaces, each with its own list and watch. The default is all. */
    Watched<T> namespaces(String... namespaces);

    /** Only objects that match a label selector, in kubectl's form, such as {@code app=web,tier!=test}. */
    Watched<T> labels(String selector);

    /** Only objects that match a field selector, such as {@code spec.nodeName=node-1}. */
    Watched<T> fields(String selector);

    /** Only these changes lead to a reconciliation. Further calls narrow it. */
    Watched<T> when(ChangeFilter<T> filter);
}
