package dev.wheelhouse.informer;

import java.util.List;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Hands out one informer per (type, representation, namespace, selectors), and starts each once (upstream: client-go
 * {@code informers/factory.go}). Thread safe.
 */
public interface SharedInformerFactory extends AutoCloseable {
    /** The informer of a type in one namespace (empty for all), under selectors. */
    <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model, String namespace,
            LabelSelector labels, FieldSelector fields);

    default <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model) {
        return informer(type, model, "", LabelSelector.everything(), FieldSelector.everything());
    }

    /**
     * The informer of a type in several namespaces: of each by a list and a watch of its own, for who may not list all.
     *
     * @throws IllegalArgumentException if there is no namespace, or the type has none
     */
    <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            Set<String> namespaces, LabelSelector labels, FieldSelector fields);

    /** The informer of a type's metadata alone, in one namespace (empty for all), under selectors. */
    SharedIndexInformer<PartialObjectMetadata> metadata(ResourceType type, String namespace, LabelSelector labels,
            FieldSelector fields);

    /** The informer of a type's metadata alone, in all namespaces. */
    default SharedIndexInformer<PartialObjectMetadata> metadata(ResourceType type) {
        return metadata(type, "", LabelSelector.everything(), FieldSelector.everything());
    }

    /** The informer of a type that no class was written for, in one namespace (empty for all), under selectors. */
    default SharedIndexInformer<Unstructured> dynamic(ResourceType type, String namespace, LabelSelector labels,
            FieldSelector fields) {
        return informer(type, Unstructured.class, namespace, labels, fields);
    }

    /** The same in all namespaces. */
    default SharedIndexInformer<Unstructured> dynamic(ResourceType type) {
        return dynamic(type, "", LabelSelector.everything(), FieldSelector.everything());
    }

    /** Starts every informer that was asked for and has not been started. May be called again. */
    void start(LoopRunner runner);

    /**
     * Starts what was asked for since the last {@link #start}, on the same runner; does nothing before the first one, as in a
     * system that is stepped.
     */
    default void startNew() {}

    /** Stops one informer and forgets it, as when its type has gone; one of several namespaces with those of each. */
    void stop(SharedIndexInformer<?> informer);

    /** Whether every informer that was asked for has synced. */
    boolean hasSynced();

    /** The state of every informer. */
    List<InformerState> states();

    /** Stops all. */
    @Override
    void close();
}
