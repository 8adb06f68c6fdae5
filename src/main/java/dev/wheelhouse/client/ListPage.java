package dev.wheelhouse.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param items the objects, each with its {@code apiVersion} and {@code kind} filled in
 * @param resourceVersion the version of the whole list
 * @param continueToken the token for the next page, or null if this is the last
 * @param skipped the items that could not be decoded
 * @param bytes the size of the answer; 0 if it is not known
 */
public record ListPage<T>(List<T> items, String resourceVersion, @Nullable String continueToken,
        List<DecodeFailure> skipped, long bytes) {

    /** A page whose bytes were not counted. */
    public ListPage(List<T> items, String resourceVersion, @Nullable String continueToken,
            List<DecodeFailure> skipped) {
        this(items, resourceVersion, continueToken, skipped, 0);
    }

    /**
     * A page with other items. An item for which the function throws is skipped.
     *
     * @param failure makes the failure that is reported for such an item
     */
    public <R> ListPage<R> map(Function<? super T, ? extends R> function,
            BiFunction<? super T, RuntimeException, DecodeFailure> failure) {
        List<R> mapped = new ArrayList<>(items.size());
        List<DecodeFailure> failures = new ArrayList<>(skipped);
        for (T item : items) {
            try {
                mapped.add(function.apply(item));
            } catch (RuntimeException e) {
                failures.add(failure.apply(item, e));
            }
        }
        return new ListPage<>(mapped, resourceVersion, continueToken, failures, bytes);
    }
}
