package dev.wheelhouse.console;

import jakarta.servlet.http.HttpServletRequest;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/** The parameters of one request for a view, and its sender. */
record ViewRequest(HttpServletRequest request, Viewer viewer) {
    static final int PAGE = 100;

    /** A parameter; empty if it is absent. */
    String text(String name) {
        String value = request.getParameter(name);
        return value == null ? "" : value;
    }

    /** @throws IllegalArgumentException if the parameter is no number */
    long number(String name, long otherwise) {
        String value = text(name);
        try {
            return value.isEmpty() ? otherwise : Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("the parameter " + name + " is \"" + value + "\": write a number");
        }
    }

    int offset() {
        return Math.clamp(number("offset", 0), 0, Integer.MAX_VALUE - PAGE);
    }

    /** @throws IllegalArgumentException if no name is given */
    ObjectKey key() {
        return new ObjectKey(text("namespace"), text("name"));
    }

    /**
     * The type that the request names.
     *
     * @throws IllegalArgumentException if no cache has the type
     */
    ResourceType type(CachedObjects objects) {
        return objects.known(text("type"));
    }
}
