package dev.wheelhouse.podconfig;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Merges any number of pod sources into one stream of changes. Each source has a channel, and a loop that passes the
 * channel's messages to the storage in order (upstream: {@code pkg/kubelet/config/config.go} and {@code mux.go}).
 * Thread safe.
 */
public final class PodConfig {
    /** The number of changes that may wait for the consumer before merging pauses. */
    static final int UPDATES_CAPACITY = 50;

    private final PodUpdates updates = new PodUpdates(UPDATES_CAPACITY);
    private final PodStorage storage;
    private final Map<String, Listener> listeners = new LinkedHashMap<>();

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

    /** @param rejected receives reports about pods that are left out, for example because of a duplicate name */
    public PodConfig(RejectionListener rejected, MeterRegistry registry, Clock clock) {
        this.storage = new PodStorage(updates, rejected, registry, clock);
        updates.onTaken(this::wake);
    }

    /**
     * The channel of a source. The first call creates it; from then on the source counts as configured.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public synchronized PodChannel channel(String source) {
        if (source.isEmpty()) {
            throw new IllegalArgumentException("a pod source needs a name: file, http, api, or one of your own");
        }
        return listeners.computeIfAbsent(source, name -> new Listener(name, storage)).channel;
    }

    /** Wakes all loops, because the stream of changes has room again. */
    private void wake() {
        List<Listener> all;
        synchronized (this) {
            all = List.copyOf(listeners.values());
        }
        all.forEach(SignalledLoop::wake);
    }

    /** The stream of changes, for one consumer. */
    public PodUpdates updates() {
        return updates;
    }

    /** The merged pods of each source. */
    public PodStorage storage() {
        return storage;
    }

    /** The loops of all channels, by source. */
    public synchronized Map<String, Loop> loops() {
        return new LinkedHashMap<>(listeners);
    }

    /**
     * Whether every configured source has sent a full set, and the consumer has handled it.
     *
     * @param seenByConsumer the sources of which the consumer has handled a change
     */
    public boolean seenAllSources(Set<String> seenByConsumer) {
        Set<String> configured = loops().keySet();
        return seenByConsumer.containsAll(configured) && storage.seen(configured);
    }
}
