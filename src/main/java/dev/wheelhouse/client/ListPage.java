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
 * @param resourceVersion the version that the whole list stands for
 * @param continueToken the token for the next page, or null if this is the last
 * @param skipped items that could not be decoded; they are reported, not fatal
 * @param bytes of the answer; 0 where there are none to count
 */
public record ListPage<T>(List<T> items, String resourceVersion, @Nullable String continueToken,
        List<DecodeFailure> skipped, long bytes) {

    /** One whose bytes nobody counted. */
    public ListPage(List<T> items, String resourceVersion, @Nullable String continueToken,
            List<DecodeFailure> skipped) {
        this(items, resourceVersion, continueToken, skipped, 0);
    }

    /** The same page of other items: one that the function throws on is skipped, and what the failure makes of it reported. */
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
