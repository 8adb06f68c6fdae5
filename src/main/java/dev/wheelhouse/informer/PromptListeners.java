package dev.wheelhouse.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.wheelhouse.runtime.Signal;
import dev.wheelhouse.runtime.SignalledLoop;

/** The listeners of one cache whose handlers are {@linkplain PromptHandler prompt}, on one thread, each in its turn. */
final class PromptListeners extends SignalledLoop {
    private final List<ProcessorListener<?>> listeners = new CopyOnWriteArrayList<>();

    /** @param signal the signal of all these listeners */
    PromptListeners(Signal signal) {
        super(signal);
    }

    void add(ProcessorListener<?> listener) {
        listeners.add(listener);
    }

    boolean has(ProcessorListener<?> listener) {
        return listeners.contains(listener);
    }

    @Override
    public long step() {
        boolean busy = false;
        for (ProcessorListener<?> listener : listeners) {
            if (listener.isClosed()) {
                listeners.remove(listener);
            } else {
                busy |= listener.step() == BUSY;
            }
        }
        return busy ? BUSY : IDLE;
    }
}
