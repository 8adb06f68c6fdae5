package dev.wheelhouse.controllers.namespace;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ResourceType;

/**
 * The remaining objects of one type in a namespace.
 *
 * @param count the number of objects
 * @param finalizers by finalizer, the number of objects that have it
 * @param estimateSeconds the seconds until the objects may be gone; 0 if unknown
 * @param failure what went wrong; null if nothing did
 */
record Remaining(ResourceType type, int count, Map<String, Integer> finalizers, long estimateSeconds,
        @Nullable String failure) {
    /** The time that finalizers are expected to take, in seconds, if nothing else is known. */
    private static final long FINALIZER_ESTIMATE_SECONDS = 15;

    /** No objects are left. */
    static Remaining none(ResourceType type) {
        return new Remaining(type, 0, Map.of(), 0, null);
    }

    static Remaining failed(ResourceType type, long estimateSeconds, String failure) {
        return new Remaining(type, 0, Map.of(), estimateSeconds, failure);
    }

    /**
     * Evaluates a list that was read after everything was deleted. Objects that need time, or have finalizers, may
     * remain; any other object is a failure.
     *
     * @param unreadable the number of objects that could not be decoded
     * @param estimateSeconds the seconds that these objects may need to end by themselves
     */
    static Remaining of(ResourceType type, String namespace, Iterable<? extends KubernetesObject> items, int unreadable,
            long estimateSeconds) {
        int count = unreadable;
        Map<String, Integer> finalizers = new TreeMap<>();
        for (KubernetesObject item : items) {
            count++;
            Metadata.finalizers(item).forEach(finalizer -> finalizers.merge(finalizer, 1, Integer::sum));
        }
        if (count == 0) {
            return none(type);
        }
        long estimate = estimateSeconds != 0 || finalizers.isEmpty() ? estimateSeconds : FINALIZER_ESTIMATE_SECONDS;
        String failure = estimate != 0
                ? null
                : "unexpected items still remain in namespace: " + namespace + " for gvr: " + type.group() + "/"
                        + type.version() + ", Resource=" + type.plural();
        return new Remaining(type, count, finalizers, estimate, failure);
    }
}
