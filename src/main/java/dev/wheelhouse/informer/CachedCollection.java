package dev.wheelhouse.informer;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

/**
 * The objects that an informer caches. Users of equal collections share an informer. Selectors compare by their
 * requirements, not by their text, because the selectors "nothing" and "everything" have the same text.
 *
 * @param model the class of the objects; {@link PartialObjectMetadata} reads and caches their metadata only, and
 *     {@code Unstructured} is for a type without a class
 * @param namespace empty for all
 * @param metadataOnly whether the objects, of whatever class, have nothing but their metadata
 * @param trim changes each object before it is cached; null if nothing does
 */
public record CachedCollection<T extends KubernetesObject>(ResourceType type, Class<T> model, String namespace,
        LabelSelector labels, FieldSelector fields, boolean metadataOnly, @Nullable UnaryOperator<T> trim) {
    /** Objects as they are. */
    public CachedCollection(ResourceType type, Class<T> model, String namespace, LabelSelector labels,
            FieldSelector fields) {
        this(type, model, namespace, labels, fields, model == (Class<?>) PartialObjectMetadata.class, null);
    }

    CachedCollection<T> in(String other) {
        return new CachedCollection<>(type, model, other, labels, fields, metadataOnly, trim);
    }

    /** Whether it has whole objects, and all of this type. */
    boolean isWhole(ResourceType of) {
        return type.equals(of) && namespace.isEmpty() && labels.isEverything() && fields.isEverything()
                && !metadataOnly();
    }
}
