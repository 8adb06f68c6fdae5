package dev.wheelhouse.client;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ShardSelector;

/** The query parameters of lists and watches of a collection, not yet escaped. */
public final class CollectionQuery {
    private CollectionQuery() {}

    /** The parameters of a list, or of one page of it. */
    public static Map<String, String> list(LabelSelector labels, FieldSelector fields, ListOptions options) {
        Map<String, String> query = selectors(labels, fields, options.shard());
        if (options.resourceVersion() != null) {
            query.put("resourceVersion", options.resourceVersion());
        }
        if (options.resourceVersionMatch() != null) {
            query.put("resourceVersionMatch", options.resourceVersionMatch());
        }
        if (options.limit() > 0) {
            query.put("limit", Integer.toString(options.limit()));
        }
        if (options.continueToken() != null) {
            query.put("continue", options.continueToken());
        }
        return query;
    }

    /** The parameters of a watch with bookmarks. The timeout is in whole seconds, rounded down, and 1 at least. */
    public static Map<String, String> watch(LabelSelector labels, FieldSelector fields, WatchOptions options) {
        Map<String, String> query = selectors(labels, fields, options.shard());
        query.put("watch", "true");
        query.put("allowWatchBookmarks", "true");
        if (!options.resourceVersion().isEmpty()) {
            query.put("resourceVersion", options.resourceVersion());
        }
        if (options.sendInitialEvents()) {
            query.put("sendInitialEvents", "true");
            query.put("resourceVersionMatch", "NotOlderThan");
        }
        query.put("timeoutSeconds", Long.toString(Math.max(1, options.timeout().toSeconds())));
        return query;
    }

    /** Both selectors in words: {@code "app=web; spec.nodeName=a"}; empty for everything. */
    public static String describe(LabelSelector labels, FieldSelector fields) {
        return String.join("; ", selectors(labels, fields, null).values());
    }

    private static Map<String, String> selectors(LabelSelector labels, FieldSelector fields,
            @Nullable ShardSelector shard) {
        Map<String, String> query = new LinkedHashMap<>();
        if (!labels.isEverything()) {
            query.put("labelSelector", labels.toString());
        }
        if (!fields.isEverything()) {
            query.put("fieldSelector", fields.toString());
        }
        if (shard != null) {
            query.put("shardSelector", shard.toString());
        }
        return query;
    }
}
