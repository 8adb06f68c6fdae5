package dev.wheelhouse.journal;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The event that a handler is called for, on the thread that calls it. A queue asks for it when the handler adds a key.
 * The event is described at most once, and only if a key is added. Each thread has its own.
 */
public final class Telling {
    private static final ThreadLocal<Telling> OF_THREAD = ThreadLocal.withInitial(Telling::new);

    private @Nullable Supplier<Cause> source;
    private @Nullable Cause cause;

    private Telling() {}

    /**
     * A handler is called next. The caller calls {@link #end} when the handler has returned.
     *
     * @param source describes the event
     */
    public static Telling begin(Supplier<Cause> source) {
        Telling telling = OF_THREAD.get();
        telling.source = source;
        return telling;
    }

    public void end() {
        source = null;
        cause = null;
    }

    /** The event that this thread tells a handler of; {@link Cause#ITSELF} if it tells none. */
    public static Cause cause() {
        Telling telling = OF_THREAD.get();
        if (telling.source == null) {
            return Cause.ITSELF;
        }
        Cause known = telling.cause;
        if (known == null) {
            known = telling.source.get();
            telling.cause = known;
        }
        return known;
    }
}
