package dev.wheelhouse.controllers.namespace;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ResourceType;

/**
 * What is left of one type in a namespace.
 *
 * @param count how many objects
 * @param finalizers by finalizer, how many objects wait for it
 * @param estimateSeconds how long it may take until they are gone; 0 if nothing is known
 * @param failure what went wrong, or null
 */
record Remaining(ResourceType type, int count, Map<String, Integer> finalizers, long estimateSeconds,
        @Nullable String failure) {
    /** How long finalizers are given, where nothing else is known. */
    private static final long FINALIZER_ESTIMATE_SECONDS = 15;

    /** Nothing is left. */
    static Remaining none(ResourceType type) {
        return new Remaining(type, 0, Map.of(), 0, null);
    }

    static Remaining failed(ResourceType type, long estimateSeconds, String failure) {
        return new Remaining(type, 0, Map.of(), estimateSeconds, failure);
    }

    /**
     * Judges what a list shows after everything has been told to go: objects that take their time, or wait for finalizers, are
     * in order; any other is not.
     *
     * @param unreadable objects that are there but could not be decoded
     * @param estimateSeconds how long these objects may take to end by themselves
     */
    static Remaining of(ResourceType type, String namespace, Iterable<? extends KubernetesObject> items, int unreadable,
            long estimateSeconds) {
        int count = unreadable;
        Map<String, Integer> finalizers = new TreeMap<>();
        for (KubernetesObject item : items) {
            count++;
            V1ObjectMeta meta = item.getMetadata();
            if (meta.getFinalizers() != null) {
                meta.getFinalizers().forEach(finalizer -> finalizers.merge(finalizer, 1, Integer::sum));
            }
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
