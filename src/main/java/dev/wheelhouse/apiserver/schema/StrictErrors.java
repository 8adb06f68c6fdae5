package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The strict decoding errors of one object: the unknown and duplicate fields, without repeats. The list is bounded,
 * because an object may have a million unknown fields. For one thread.
 */
public final class StrictErrors {
    /** The limit for the characters of all errors. The last error may exceed it. */
    private static final int MOST_CHARACTERS = 256 * 1024;

    private final Set<String> errors = new LinkedHashSet<>();
    private long characters;

    /** Adds an error, unless the list is full. The supplier is called only if there is room for its text. */
    public void add(Supplier<String> making) {
        if (characters < MOST_CHARACTERS) {
            String text = making.get();
            errors.add(text);
            characters += text.length();
        }
    }

    /** A mutable copy of the errors. */
    public List<String> toList() {
        return new ArrayList<>(errors);
    }
}
