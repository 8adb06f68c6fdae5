package dev.wheelhouse.operator;

import java.time.Instant;

import io.kubernetes.client.common.KubernetesObject;

/**
 * An operator whose logic is a pure function: it returns what it wants, and Wheelhouse writes it. Therefore its plan can
 * be shown without acting, and its tests need no server.
 */
public non-sealed interface DecidingOperator<P extends KubernetesObject> extends Operator<P> {
    /**
     * What one primary object asks for. It must depend on its parameters alone.
     *
     * @param owned the objects that exist: those that the primary object owns, and those that it watches
     * @param now the time, for decisions that depend on it; see {@link Decision#requeueAfter}
     */
    Decision decide(P primary, Owned owned, Instant now);
}
