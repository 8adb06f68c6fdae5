package dev.wheelhouse.apiserver.protocol;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * What a request's path names.
 *
 * @param namespace empty for all, or a cluster-scoped resource
 * @param name empty for the collection
 * @param subresource empty for the object itself; may have slashes ({@code proxy/…})
 */
public record Target(ResourceInfo info, String namespace, String name, String subresource) {
    public ResourceType type() {
        return info.type();
    }

    /** The resource's name in the store: versions share it, and so do the two groups of events. */
    public String stored() {
        return stored(type());
    }

    public static String stored(ResourceType type) {
        return type.group().equals("events.k8s.io") && type.plural().equals("events")
                ? "events"
                : type.groupResource();
    }

    /** Whether the resource is answered and never stored, such as a SubjectAccessReview. */
    public boolean isReview() {
        return type().group().equals("authentication.k8s.io") || type().group().equals("authorization.k8s.io");
    }

    public Target plain() {
        return new Target(info, namespace, name, "");
    }
}
