package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.controller.Result;

/** An operator that reads caches and writes through its {@link Context}. */
public non-sealed interface ReconcilingOperator<P extends KubernetesObject> extends Operator<P> {
    /**
     * Brings the cluster to the state that one primary object asks for. Called after each change of the object, of what
     * it owns and of what it watches, and only while the caches show the operator's own last writes for this object.
     * Not called for an object that is being deleted: the garbage collector deletes its owned objects. An operator that
     * must undo more declares a finalizer ({@link Setup#finalizer}), whose clean-up is called instead.
     *
     * @param context for this call only; not to be kept
     * @return when to call again; never null. An exception, and null, count as {@link Result.Retry}, with a growing
     *     delay
     * @throws InterruptedException if the process stops or {@link Setup#timeout} has passed
     * @throws Exception for any failure, such as {@link dev.wheelhouse.api.KubeApiException} for a refused request
     */
    Result reconcile(Request<P> request, Context<P> context) throws Exception;
}
