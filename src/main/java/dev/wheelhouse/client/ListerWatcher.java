package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ResourceType;

/**
 * The port through which a Reflector sees one resource type, in one namespace or all, under one selector. Calls block, with a
 * deadline of the implementation's own; they throw {@link ApiError}.
 */
public interface ListerWatcher<T extends KubernetesObject> {
    /** The type that is listed and watched. */
    ResourceType type();

    /** The namespace, or empty for all. */
    String namespace();

    /** What is selected within that, in words: {@code "app=web; spec.nodeName=a"}; empty for everything. */
    default String selector() {
        return "";
    }

    ListPage<T> list(ListOptions options) throws InterruptedException;

    WatchStream<T> watch(WatchOptions options) throws InterruptedException;
}
