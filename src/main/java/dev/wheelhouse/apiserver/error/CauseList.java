package dev.wheelhouse.apiserver.error;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What is wrong with one object, as far as somebody may want to read it: an object may be wrong in a million places, and each place may show all
 * of the object. For one thread.
 */
public final class CauseList {
    /** The characters of all causes, of which the last one may have more. */
    private static final int MOST_CHARACTERS = 256 * 1024;

    private final List<Cause> causes = new ArrayList<>(0);
    private long characters;

    /** Adds a cause, which is made only if there is room for it. */
    public void add(Supplier<Cause> making) {
        if (!isFull()) {
            Cause cause = making.get();
            characters += cause.field().length() + cause.message().length();
            causes.add(cause);
        }
    }

    void addAll(List<Cause> more) {
        more.forEach(cause -> add(() -> cause));
    }

    /** Whether the list takes no more. */
    public boolean isFull() {
        return characters >= MOST_CHARACTERS;
    }

    public boolean isEmpty() {
        return causes.isEmpty();
    }

    public int size() {
        return causes.size();
    }

    public List<Cause> toList() {
        return List.copyOf(causes);
    }
}
