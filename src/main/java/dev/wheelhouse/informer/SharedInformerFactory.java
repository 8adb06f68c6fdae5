package dev.wheelhouse.informer;

import java.util.List;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/**
 * Shares one informer per (type, model class, namespace, selectors), and starts each one once (upstream: client-go
 * {@code informers/factory.go}). Controllers and other users of the caches see this interface. Only the owner of the
 * {@link InformerFactory} behind it gives it threads and closes it; after that, methods that make an informer throw
 * {@code IllegalStateException}. Thread safe.
 */
public interface SharedInformerFactory {
    /** The informer of a collection. */
    <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted);

    /**
     * The informer of a collection in namespaces that may change, for clients that may not list all. Each namespace has
     * its own list and watch.
     *
     * @param wanted whose namespace is not used
     */
    <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted, NamespaceSet namespaces);

    /** The informer of a type in one namespace (empty for all), limited by selectors. */
    default <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            String namespace, LabelSelector labels, FieldSelector fields) {
        return informer(new CachedCollection<>(type, model, namespace, labels, fields));
    }

    /** The informer of a type in all namespaces. */
    default <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model) {
        return informer(type, model, "", LabelSelector.everything(), FieldSelector.everything());
    }

    /**
     * The informer of a type in several namespaces.
     *
     * @throws IllegalArgumentException if {@code namespaces} is empty, or the type is cluster-scoped
     */
    default <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            Set<String> namespaces, LabelSelector labels, FieldSelector fields) {
        if (namespaces.isEmpty() || namespaces.contains("") || !type.namespaced()) {
            throw new IllegalArgumentException("cannot make an informer of " + type + " in the namespaces " + namespaces
                    + ": give at least one name, of a namespaced type; for all, use the method with one empty name");
        }
        return informer(new CachedCollection<>(type, model, "", labels, fields), NamespaceSet.of(namespaces));
    }

    /** The informer of a type's metadata only, in all namespaces. */
    default SharedIndexInformer<PartialObjectMetadata> metadata(ResourceType type) {
        return informer(type, PartialObjectMetadata.class);
    }

    /**
     * An informer of a type in all namespaces, for a user of the metadata only. The result is the informer of whole
     * objects if another user has made one, because one list and one watch are then enough for both; otherwise it is
     * the informer of metadata (upstream: {@code ForResource} in controller-manager {@code pkg/informerfactory}).
     */
    SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type);

    /**
     * Starts the informers that have not been started, on the threads of the factory's owner. Does nothing before
     * {@link InformerFactory#start}, and therefore nothing in a system whose loops are stepped by hand.
     */
    void startNew();

    /**
     * Stops one informer and drops it, for example because its type was deleted. Of an informer of several namespaces,
     * those are stopped that nobody else has asked for.
     */
    void stop(SharedIndexInformer<?> informer);

    /** Whether all informers have synced. */
    boolean hasSynced();

    /** The informers that exist; those of whole objects come first. */
    List<SharedIndexInformer<?>> informers();

    /** The state of each informer. */
    List<InformerState> states();
}
