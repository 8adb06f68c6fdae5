package dev.wheelhouse.event;

import dev.wheelhouse.api.Names;

/**
 * Makes names of Events: {@code <object>.<suffix>} (upstream: {@code GenerateEventName} in client-go
 * {@code tools/internal/events}).
 */
final class EventNames {
    private EventNames() {}

    /** A valid name for any object: if the object's name is not a valid prefix, the name is {@code event.<suffix>}. */
    static String of(String object, String suffix) {
        String name = object + "." + suffix;
        return Names.isSubdomain(name) ? name : "event." + suffix;
    }
}
