package dev.wheelhouse.operator;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Decides which changes of an object lead to a reconciliation (upstream: controller-runtime {@code pkg/predicate}). The
 * filter sees the cache's own objects and must not change them. It runs on the thread that delivers events, so it must
 * not block. If it throws, the change leads to a reconciliation as if it had passed; the first failure for each class
 * is logged. The deletion of a primary object, and its beginning, need no filter's consent.
 */
@FunctionalInterface
public interface ChangeFilter<T extends KubernetesObject> {
    /**
     * @param before null if the object is new
     * @param after null if the object was deleted
     */
    boolean passes(@Nullable T before, @Nullable T after);

    /**
     * New and deleted objects, changes of {@code metadata.generation}, and the beginning of a deletion. A change of the
     * status, the labels or the annotations alone does not pass. Every change of an object without a generation passes,
     * such as a ConfigMap.
     */
    static <T extends KubernetesObject> ChangeFilter<T> generationChanged() {
        return (before, after) -> before == null || after == null || after.getMetadata().getGeneration() == null
                || !Objects.equals(before.getMetadata().getGeneration(), after.getMetadata().getGeneration())
                || !Objects.equals(before.getMetadata().getDeletionTimestamp(),
                        after.getMetadata().getDeletionTimestamp());
    }

    /** New and deleted objects, and changes of the labels. */
    static <T extends KubernetesObject> ChangeFilter<T> labelsChanged() {
        return (before, after) -> before == null || after == null
                || !Objects.equals(before.getMetadata().getLabels(), after.getMetadata().getLabels());
    }

    /** New and deleted objects, and changes of the annotations. */
    static <T extends KubernetesObject> ChangeFilter<T> annotationsChanged() {
        return (before, after) -> before == null || after == null
                || !Objects.equals(before.getMetadata().getAnnotations(), after.getMetadata().getAnnotations());
    }

    default ChangeFilter<T> or(ChangeFilter<T> other) {
        return (before, after) -> passes(before, after) || other.passes(before, after);
    }

    default ChangeFilter<T> and(ChangeFilter<T> other) {
        return (before, after) -> passes(before, after) && other.passes(before, after);
    }
}
