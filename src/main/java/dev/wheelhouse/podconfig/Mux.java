package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * One channel per source, and a loop for each that hands its messages to the storage, in order (upstream:
 * {@code pkg/kubelet/config/mux.go}). Thread safe.
 */
final class Mux {
    private final PodStorage storage;
    private final Map<String, Listener> listeners = new LinkedHashMap<>();

    Mux(PodStorage storage) {
        this.storage = storage;
    }

    /** The channel of a source; the same name gives the same channel. */
    synchronized PodChannel channel(String source) {
        if (source.isEmpty()) {
            throw new IllegalArgumentException("a pod source needs a name: file, http, api, or one of your own");
        }
        return listeners.computeIfAbsent(source, name -> new Listener(name, storage)).channel;
    }

    synchronized Map<String, Loop> loops() {
        return new LinkedHashMap<>(listeners);
    }

    /** Lets every loop try again: the stream of changes has room. */
    void wake() {
        List<Listener> all;
        synchronized (this) {
            all = new ArrayList<>(listeners.values());
        }
        all.forEach(SignalledLoop::wake);
    }

    /** Takes the messages of one channel, each once the stream of changes has room for what it changes. */
    private static final class Listener extends SignalledLoop {
        private final PodChannel channel;
        private final PodStorage storage;

        Listener(String source, PodStorage storage) {
            this.channel = new PodChannel(source, this::wake);
            this.storage = storage;
        }

        @Override
        public long step() {
            @Nullable
            PodUpdate next = isClosed() ? null : channel.peek();
            if (next == null || !storage.merge(next)) {
                return IDLE;
            }
            channel.remove(next);
            return BUSY;
        }
    }
}
