package dev.wheelhouse.informer;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/** The listeners of one cache whose handlers are {@linkplain PromptHandler prompt}, on one thread, each in its turn. */
final class PromptListeners implements Loop {
    private final List<ProcessorListener<?>> listeners = new CopyOnWriteArrayList<>();
    private final Signal signal = new Signal();
    private volatile boolean closed;

    /** The signal of all these listeners. */
    Signal signal() {
        return signal;
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

    @Override
    public void await(long nanos) throws InterruptedException {
        if (!closed) {
            signal.await(nanos);
        }
        if (closed) {
            throw new InterruptedException("the informer was stopped");
        }
    }

    @Override
    public void close() {
        closed = true;
        signal.raise();
    }
}
