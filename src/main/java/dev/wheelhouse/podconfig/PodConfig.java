package dev.wheelhouse.podconfig;

import java.util.Map;
import java.util.Set;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

/**
 * Merges any number of pod sources into one stream of changes (upstream: {@code pkg/kubelet/config/config.go}). Thread
 * safe.
 */
public final class PodConfig {
    /** The number of changes that may wait for the consumer before merging pauses. */
    static final int UPDATES_CAPACITY = 50;

    private final PodUpdates updates = new PodUpdates(UPDATES_CAPACITY);
    private final PodStorage storage;
    private final Mux mux;

    /** @param rejected receives reports about pods that are left out, for example because of a duplicate name */
    public PodConfig(RejectionListener rejected, MeterRegistry registry, Clock clock) {
        this.storage = new PodStorage(updates, rejected, registry, clock);
        this.mux = new Mux(storage);
        updates.onTaken(mux::wake);
    }

    /**
     * The channel of a source. The first call creates it; from then on the source counts as configured.
     *
     * @throws IllegalArgumentException if the name is empty
     */
    public PodChannel channel(String source) {
        return mux.channel(source);
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
    public Map<String, Loop> loops() {
        return mux.loops();
    }

    /**
     * Whether every configured source has sent a full set, and the consumer has handled it.
     *
     * @param seenByConsumer the sources of which the consumer has handled a change
     */
    public boolean seenAllSources(Set<String> seenByConsumer) {
        Set<String> configured = mux.loops().keySet();
        return seenByConsumer.containsAll(configured) && storage.seen(configured);
    }
}
