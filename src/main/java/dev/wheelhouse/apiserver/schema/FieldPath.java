package dev.wheelhouse.apiserver.schema;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The place of a value in an object ({@code spec.ports[0].name}), put into words only where something is to be said of the value: a client
 * chooses how long the names above a value are, and how many values are below them.
 */
public record FieldPath(@Nullable FieldPath parent, String step) {
    public static final FieldPath ROOT = new FieldPath(null, "");

    public FieldPath child(String name) {
        return new FieldPath(this, parent == null ? name : "." + name);
    }

    public FieldPath index(int index) {
        return new FieldPath(this, "[" + index + "]");
    }

    /** An entry of a map. */
    public FieldPath key(String key) {
        return new FieldPath(this, "[" + key + "]");
    }

    public boolean isRoot() {
        return parent == null;
    }

    @Override
    public String toString() {
        Deque<String> steps = new ArrayDeque<>();
        for (FieldPath here = this; here != null; here = here.parent) {
            steps.push(here.step);
        }
        return String.join("", steps);
    }
}
