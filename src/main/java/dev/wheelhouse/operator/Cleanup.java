package dev.wheelhouse.operator;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.controller.Result;

/** Undoes what an operator did outside of the cluster, before a primary object disappears. It must be repeatable. */
@FunctionalInterface
public interface Cleanup<P extends KubernetesObject> {
    /** @return {@code Result.done()} when nothing is left to clean up; anything else keeps the object */
    Result cleanup(Request<P> request, Context<P> context) throws Exception;
}
