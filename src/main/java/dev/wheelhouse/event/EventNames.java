package dev.wheelhouse.event;

import java.util.regex.Pattern;

/**
 * Makes names of Events: {@code <object>.<suffix>} (upstream: {@code GenerateEventName} in client-go
 * {@code tools/internal/events}).
 */
final class EventNames {
    private static final int LONGEST = 253;
    private static final Pattern SUBDOMAIN = Pattern
            .compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private EventNames() {}

    /** A valid name for any object: if the object's name is not a valid prefix, the name is {@code event.<suffix>}. */
    static String of(String object, String suffix) {
        String name = object + "." + suffix;
        return name.length() <= LONGEST && SUBDOMAIN.matcher(name).matches() ? name : "event." + suffix;
    }
}
