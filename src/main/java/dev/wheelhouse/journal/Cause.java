package dev.wheelhouse.journal;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The reason why a key was added to a queue.
 *
 * @param what {@code add}, {@code update} or {@code delete} of an object, or a sentence if there was no such event
 * @param type the type of the object; null if there was no event
 * @param namespace the namespace of the object; empty if it has none
 * @param version the resource version of the object after the event; empty if there was no event
 */
public record Cause(String what, @Nullable ResourceType type, String namespace, String name, String version) {
    /** The last sync of the key failed, and the rate limiter's delay is over. */
    public static final Cause RETRY = new Cause("the sync before failed");
    /** The last sync of the key asked for another one, and the delay is over. */
    public static final Cause AGAIN = new Cause("the sync before asked for another one");
    /** The controller added the key by itself. */
    public static final Cause ITSELF = new Cause("the controller added the key itself");

    private Cause(String what) {
        this(what, null, "", "", "");
    }

    /** An event about an object. */
    public static Cause event(String what, ResourceType type, V1ObjectMeta meta) {
        return new Cause(what, type, orEmpty(meta.getNamespace()), orEmpty(meta.getName()),
                orEmpty(meta.getResourceVersion()));
    }

    /** The length of its texts, in characters. */
    int length() {
        return namespace.length() + name.length() + version.length();
    }

    @Override
    public String toString() {
        return type == null
                ? what
                : what + " of " + type + " " + (namespace.isEmpty() ? "" : namespace + "/") + name + " at version "
                        + version;
    }
}
