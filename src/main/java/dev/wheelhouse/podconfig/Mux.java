package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Has one channel per source, and a loop per channel that passes the channel's messages to the storage in order
 * (upstream: {@code pkg/kubelet/config/mux.go}). Thread safe.
 */
final class Mux {
    private final PodStorage storage;
    private final Map<String, Listener> listeners = new LinkedHashMap<>();

    Mux(PodStorage storage) {
        this.storage = storage;
    }

    /**
     * The channel of a source. The same name returns the same channel.
     * @throws IllegalArgumentException if the name is empty
     */
    synchronized PodChannel channel(String source) {
        if (source.isEmpty()) {
            throw new IllegalArgumentException("a pod source needs a name: file, http, api, or one of your own");
        }
        return listeners.computeIfAbsent(source, name -> new Listener(name, storage)).channel;
    }

    synchronized Map<String, Loop> loops() {
        return new LinkedHashMap<>(listeners);
    }

    /** Wakes all loops, because the stream of changes has room again. */
    void wake() {
        List<Listener> all;
        synchronized (this) {
            all = new ArrayList<>(listeners.values());
        }
        all.forEach(SignalledLoop::wake);
    }

    /** Passes the messages of one channel to the storage, while the stream of changes has room. */
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
