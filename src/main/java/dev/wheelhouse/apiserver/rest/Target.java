package dev.wheelhouse.apiserver.rest;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.schema.ResourceInfo;

/**
 * What a request's path names.
 *
 * @param namespace empty for all, or a cluster-scoped resource
 * @param name empty for the collection
 * @param subresource empty for the object itself; may have slashes ({@code proxy/…})
 * @param watchPath whether the path was one of the old {@code /watch/} ones
 */
record Target(ResourceInfo info, String namespace, String name, String subresource, boolean watchPath) {
    ResourceType type() {
        return info.type();
    }

    /** The resource's name in the store: versions share it, and so do the two groups of events. */
    String stored() {
        return stored(type());
    }

    static String stored(ResourceType type) {
        return type.group().equals("events.k8s.io") && type.plural().equals("events")
                ? "events"
                : type.groupResource();
    }

    /** Whether authorization saw the same in the path. */
    boolean isWhat(RequestInfo about) {
        boolean collection = name.isEmpty();
        String first = subresource.contains("/") ? subresource.substring(0, subresource.indexOf('/')) : subresource;
        return about.group().equals(type().group()) && about.resource().equals(type().plural())
                && (collection || about.name().equals(name)) && about.subresource().equals(first)
                && (about.namespace().equals(namespace) || !type().namespaced());
    }

    Target withName(String other) {
        return new Target(info, namespace, other, subresource, watchPath);
    }

    Target plain() {
        return new Target(info, namespace, name, "", watchPath);
    }
}
