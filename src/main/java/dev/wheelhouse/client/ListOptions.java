package dev.wheelhouse.client;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ShardSelector;

/**
 * The options of a list, by the Kubernetes API's rules of resourceVersion and resourceVersionMatch.
 *
 * @param resourceVersion null for a consistent read, {@code "0"} for any state in the server's cache, else a version
 * @param resourceVersionMatch {@code NotOlderThan}, {@code Exact}, or null
 * @param limit the most items of one page, or 0 for all in one
 * @param continueToken the token of the page before, or null
 * @param shard the part of the collection that is wanted; null for all. A server that does not know the parameter sends
 *     all
 */
public record ListOptions(@Nullable String resourceVersion, @Nullable String resourceVersionMatch, int limit,
        @Nullable String continueToken, @Nullable ShardSelector shard) {

    /** The options of a list of the whole collection. */
    public ListOptions(@Nullable String resourceVersion, @Nullable String resourceVersionMatch, int limit,
            @Nullable String continueToken) {
        this(resourceVersion, resourceVersionMatch, limit, continueToken, null);
    }

    /** A consistent read, in pages of {@code limit} items. */
    public static ListOptions consistent(int limit) {
        return new ListOptions(null, null, limit, null);
    }

    /** Any state that the server has cached, however old. */
    public static ListOptions cached() {
        return new ListOptions("0", null, 0, null);
    }

    /** A state that is not older than a version, in pages of {@code limit} items. */
    public static ListOptions notOlderThan(String resourceVersion, int limit) {
        return new ListOptions(resourceVersion, "NotOlderThan", limit, null);
    }

    /** The options for the next page. They have no resource version, because the token stands for one. */
    public ListOptions next(String token) {
        return new ListOptions(null, null, limit, token, shard);
    }

    /** These options for a part of the collection. */
    public ListOptions of(ShardSelector part) {
        return new ListOptions(resourceVersion, resourceVersionMatch, limit, continueToken, part);
    }
}
