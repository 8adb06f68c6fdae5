package dev.wheelhouse.client;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.PublicApi;

/**
 * The options of a delete.
 *
 * @param gracePeriodSeconds null for the object's own period
 * @param uid delete only the object with this UID, or null
 * @param resourceVersion delete only at this version, or null
 * @param propagation {@code Background}, {@code Foreground}, {@code Orphan}, or null for the type's default
 */
@PublicApi
public record Deletion(@Nullable Long gracePeriodSeconds, @Nullable String uid, @Nullable String resourceVersion,
        @Nullable String propagation) {
    /** A deletion without conditions. */
    public static Deletion unconditional() {
        return new Deletion(null, null, null, null);
    }

    /** A deletion of the object with this UID only. */
    public static Deletion ofUid(@Nullable String uid) {
        return new Deletion(null, uid, null, null);
    }

    /** These options as the API's {@code DeleteOptions}: a map that can be written as JSON. */
    public Map<String, Object> options() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("apiVersion", "v1");
        options.put("kind", "DeleteOptions");
        putIfSet(options, "gracePeriodSeconds", gracePeriodSeconds);
        putIfSet(options, "propagationPolicy", propagation);
        Map<String, Object> preconditions = new LinkedHashMap<>();
        putIfSet(preconditions, "uid", uid);
        putIfSet(preconditions, "resourceVersion", resourceVersion);
        if (!preconditions.isEmpty()) {
            options.put("preconditions", preconditions);
        }
        return options;
    }

    private static void putIfSet(Map<String, Object> map, String name, @Nullable Object value) {
        if (value != null) {
            map.put(name, value);
        }
    }

    /** @param policy {@code Background}, {@code Foreground} or {@code Orphan} */
    public Deletion withPropagation(String policy) {
        return new Deletion(gracePeriodSeconds, uid, resourceVersion, policy);
    }
}
