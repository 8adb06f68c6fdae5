package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

/**
 * A controller of one type of objects, its <em>primary</em> type. Implement {@link ReconcilingOperator}, which acts on
 * the cluster itself, or {@link DecidingOperator}, which returns what it wants. Several threads may call an operator,
 * but never two at once for one object.
 *
 * @param <P> the primary type: a class of the official client, or a class of your own with {@link ResourceDefinition}.
 *     It is read from the type argument of the class that implements this interface. With {@code Unstructured}, the
 *     operator declares the type of its objects by {@link Setup#primary(dev.wheelhouse.api.ResourceType)}
 */
public sealed interface Operator<P extends KubernetesObject> permits ReconcilingOperator, DecidingOperator {
    /**
     * Declares the types that the operator watches and owns, its name and its limits. It must do nothing else: it is
     * called before any object is handed over, may be called several times, and is also called by programs that only
     * generate definitions and roles. An exception ends the start of the process.
     */
    void setup(Setup<P> setup);
}
