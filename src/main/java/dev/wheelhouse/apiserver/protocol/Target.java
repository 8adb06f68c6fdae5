package dev.wheelhouse.apiserver.protocol;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.ResourceInfo;

/**
 * The resource, object or collection that the path of a request names.
 *
 * @param namespace empty for all namespaces, or for a cluster-scoped resource
 * @param name empty for the collection
 * @param subresource empty for the object itself; may have slashes ({@code proxy/…})
 */
public record Target(ResourceInfo info, String namespace, String name, String subresource) {
    public ResourceType type() {
        return info.type();
    }

    /** The name under which the store holds the resource. All versions share it, and so do the two groups of events. */
    public String stored() {
        return stored(type());
    }

    /** As {@link #stored()}, for a type: {@code deployments.apps}. */
    public static String stored(ResourceType type) {
        return type.group().equals("events.k8s.io") && type.plural().equals("events")
                ? "events"
                : type.groupResource();
    }

    /** Whether the resource is answered and never stored, such as a SubjectAccessReview. */
    public boolean isReview() {
        return type().group().equals("authentication.k8s.io") || type().group().equals("authorization.k8s.io");
    }

    /** The object without the subresource. */
    public Target plain() {
        return new Target(info, namespace, name, "");
    }
}
