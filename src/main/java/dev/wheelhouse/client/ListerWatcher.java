package dev.wheelhouse.client;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;

/**
 * The port through which a Reflector reads one resource type, in one namespace or in all, under one selector. Lists and
 * watches block up to a deadline that the implementation sets, and throw {@link KubeApiException} if they fail.
 */
public interface ListerWatcher<T extends KubernetesObject> {
    /** The type that is listed and watched. */
    ResourceType type();

    /** The namespace, or empty for all. */
    String namespace();

    /** The selectors in words: {@code "app=web; spec.nodeName=a"}; empty for everything. */
    default String selector() {
        return "";
    }

    /** Reads one page of the list. */
    ListPage<T> list(ListOptions options) throws InterruptedException;

    /** Opens a watch, which the caller closes. */
    WatchStream<T> watch(WatchOptions options) throws InterruptedException;
}
