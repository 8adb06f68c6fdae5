package dev.wheelhouse.operator;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * How much of each object of a type an operator caches.
 *
 * @param metadataOnly whether the caches have the metadata only, and whole objects are read when they are needed
 * @param kept the most whole objects that are kept after they were read, or their most bytes
 * @param inBytes whether {@code kept} is in bytes
 * @param trim changes each object before it is cached; null if nothing does
 */
record CachedContent<T>(boolean metadataOnly, long kept, boolean inBytes, @Nullable UnaryOperator<T> trim) {
    boolean isWhole() {
        return !metadataOnly && trim == null;
    }
}
