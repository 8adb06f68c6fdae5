package dev.wheelhouse.journal;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The event for which the current thread is calling a handler. When the handler adds a key to a queue, the queue reads
 * the event from here. The event is described at most once, and only if a key is added. Each thread has its own.
 */
public final class CurrentEvent {
    private static final ThreadLocal<CurrentEvent> OF_THREAD = ThreadLocal.withInitial(CurrentEvent::new);

    private @Nullable Supplier<Cause> source;
    private @Nullable Cause cause;

    private CurrentEvent() {}

    /**
     * Records that this thread is about to call a handler. The caller calls {@link #end} when the handler has returned.
     *
     * @param source describes the event
     */
    public static CurrentEvent begin(Supplier<Cause> source) {
        CurrentEvent telling = OF_THREAD.get();
        telling.source = source;
        return telling;
    }

    public void end() {
        source = null;
        cause = null;
    }

    /** The event for which this thread is calling a handler; {@link Cause#ITSELF} if it calls none. */
    public static Cause cause() {
        CurrentEvent telling = OF_THREAD.get();
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
