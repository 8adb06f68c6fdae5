package dev.wheelhouse.apiserver.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What is to be said of an object's fields, without repeats, as far as somebody may want to read it: an object may have a million fields that
 * nobody knows. For one thread.
 */
public final class StrictErrors {
    /** The characters of all problems, of which the last one may have more. */
    private static final int MOST_CHARACTERS = 256 * 1024;

    private final Set<String> problems = new LinkedHashSet<>();
    private long characters;

    /** Adds a problem, which is put into words only if there is room for it. */
    public void add(Supplier<String> problem) {
        if (characters < MOST_CHARACTERS) {
            String text = problem.get();
            problems.add(text);
            characters += text.length();
        }
    }

    public List<String> toList() {
        return new ArrayList<>(problems);
    }
}
