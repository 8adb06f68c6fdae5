package dev.wheelhouse.event;

import java.util.regex.Pattern;

/** Names of Events: {@code <object>.<suffix>} (upstream: client-go {@code tools/internal/events}, {@code GenerateEventName}). */
final class EventNames {
    private static final int LONGEST = 253;
    private static final Pattern SUBDOMAIN = Pattern
            .compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private EventNames() {}

    /** A name that the API accepts, whatever the object is called. */
    static String of(String object, String suffix) {
        String name = object + "." + suffix;
        return name.length() <= LONGEST && SUBDOMAIN.matcher(name).matches() ? name : "event." + suffix;
    }
}
