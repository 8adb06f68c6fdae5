package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.controller.Result;

/** Undoes what an operator did outside of the cluster, before a primary object disappears. It must be repeatable. */
@FunctionalInterface
public interface Cleanup<P extends KubernetesObject> {
    /**
     * Cleans up for one object. It may be called again, also for an object that was cleaned up before.
     *
     * @return {@code Result.done()} when nothing is left to clean up, so that the finalizer is removed; any other
     *     result keeps the object
     * @throws Exception if the clean-up failed; it is called again after a growing delay
     */
    Result cleanup(Request<P> request, Context<P> context) throws Exception;
}
