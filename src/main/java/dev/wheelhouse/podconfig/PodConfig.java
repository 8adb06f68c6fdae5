package dev.wheelhouse.podconfig;

import java.util.Map;
import java.util.Set;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

/**
 * Merges any number of pod sources into one stream of changes (upstream: {@code pkg/kubelet/config/config.go}). Thread safe.
 */
public final class PodConfig {
    /** How many changes wait for the consumer before the sources have to. */
    static final int UPDATES_CAPACITY = 50;

    private final PodUpdates updates = new PodUpdates(UPDATES_CAPACITY);
    private final PodStorage storage;
    private final Mux mux;

    /** @param rejected hears of pods that are left out, as when two of one source have the same name */
    public PodConfig(RejectedPods rejected, PodSourceMetrics metrics, Clock clock) {
        this.storage = new PodStorage(updates, rejected, metrics, clock);
        this.mux = new Mux(storage);
        updates.onTaken(mux::wake);
    }

    /**
     * The channel of a source, made at the first call; from then on the source counts as configured.
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

    /** What each source last said. */
    public PodStorage storage() {
        return storage;
    }

    /** A loop for each channel made so far, by source. */
    public Map<String, Loop> loops() {
        return mux.loops();
    }

    /**
     * Whether every configured source has sent a full set, and the consumer has seen it.
     *
     * @param seenByConsumer the sources of which the consumer has had a change
     */
    public boolean seenAllSources(Set<String> seenByConsumer) {
        Set<String> configured = mux.loops().keySet();
        return seenByConsumer.containsAll(configured) && storage.seen(configured);
    }

    /** Sends every source's pods once more, each as a SET, for a consumer that starts anew. */
    public void sync() {
        updates.addAll(storage.snapshot());
    }
}
