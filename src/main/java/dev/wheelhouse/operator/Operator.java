package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

/**
 * A controller of one type of objects, its <em>primary</em> type. Implement {@link ReconcilingOperator}, which acts on
 * the cluster itself, or {@link DecidingOperator}, which returns what it wants. Several threads may call an operator,
 * but never two at once for one object.
 *
 * @param <P> the primary type: a class of the official client, or one's own with {@link ResourceDefinition}. It is
 *     found from the class that implements this interface.
 */
public sealed interface Operator<P extends KubernetesObject> permits ReconcilingOperator, DecidingOperator {
    /**
     * Declares the types that the operator watches and owns, and its needs, and does nothing else. Called before any
     * object is handed over. It may be called several times, also by programs that only generate definitions and roles.
     * An exception ends the start of the process.
     */
    void setup(Setup<P> setup);
}
