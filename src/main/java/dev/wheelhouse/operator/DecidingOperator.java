package dev.wheelhouse.operator;

import java.time.Instant;

import io.kubernetes.client.common.KubernetesObject;

/**
 * An operator whose logic is a pure function: it returns what it wants, and Wheelhouse writes it. Therefore its plan
 * can be shown without acting, and its tests need no server.
 */
public non-sealed interface DecidingOperator<P extends KubernetesObject> extends Operator<P> {
    /**
     * Decides what one primary object asks for. The decision must depend on the parameters alone. An exception, and
     * null, count as a failure, which is retried with a growing delay. Like {@link ReconcilingOperator#reconcile}, it
     * is not called for an object that is being deleted.
     *
     * @param primary the operator's own copy of the object
     * @param related the objects that exist: those that the primary object owns, and those that it watches
     * @param now the time, for decisions that depend on it; see {@link Decision#requeueAfter}
     */
    Decision decide(P primary, Related related, Instant now);
}
