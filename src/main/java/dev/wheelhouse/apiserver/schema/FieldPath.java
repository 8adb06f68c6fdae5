package dev.wheelhouse.apiserver.schema;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The path of a value in an object, as {@code spec.ports[0].name}. It becomes text only when a problem is reported,
 * because clients choose how long names are and how many values are below them. Immutable.
 */
public record FieldPath(@Nullable FieldPath parent, String step) {
    public static final FieldPath ROOT = new FieldPath(null, "");

    /** The path of a field. */
    public FieldPath child(String name) {
        return new FieldPath(this, parent == null ? name : "." + name);
    }

    /** The path of an element of a list. */
    public FieldPath index(int index) {
        return new FieldPath(this, "[" + index + "]");
    }

    /** The path of an entry of a map. */
    public FieldPath key(String key) {
        return new FieldPath(this, "[" + key + "]");
    }

    /** Whether this is the path of the whole object. */
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
