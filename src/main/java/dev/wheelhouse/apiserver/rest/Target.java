package dev.wheelhouse.apiserver.rest;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * What a request's path names.
 *
 * @param namespace empty for all, or a cluster-scoped resource
 * @param name empty for the collection
 * @param subresource empty for the object itself; may have slashes ({@code proxy/…})
 */
record Target(ResourceInfo info, String namespace, String name, String subresource) {
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

    Target withName(String other) {
        return new Target(info, namespace, other, subresource);
    }

    Target plain() {
        return new Target(info, namespace, name, "");
    }
}
