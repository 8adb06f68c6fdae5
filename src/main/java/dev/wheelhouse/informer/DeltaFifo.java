package dev.wheelhouse.informer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.Signal;

/**
 * The queue between the Reflector, its producer, and the informer loop, its consumer (upstream: client-go
 * {@code tools/cache/delta_fifo.go} and {@code the_real_fifo.go}). It keeps, per key, the ordered deltas since the consumer
 * last looked, keys in the order of their first delta, and hands them out in batches. A relist is one step of its own
 * ({@link Replaced}), in its place between what came before and what came after; so is a resync ({@link Sync}).
 *
 * <p>Any thread may call any method; one consumes.
 */
final class DeltaFifo<T> {
    /** What the consumer takes: one step of the cache. */
    sealed interface Step<T> {}

    /**
     * Deltas by key, in the order of the keys' first deltas.
     *
     * @param version up to which resource version they lead; empty if that is not known
     */
    record Deltas<T>(Map<ObjectKey, Chain<T>> byKey, String version) implements Step<T> {
        Iterator<Chain<T>> iterator() {
            return byKey.values().iterator();
        }
    }

    /**
     * The whole collection as a list told it, at one version.
     *
     * @param undecodable keys that are in the collection, but whose objects could not be decoded
     */
    record Replaced<T>(List<T> objects, Set<ObjectKey> undecodable, String version) implements Step<T> {}

    /** Every object is to be told again to the listeners that asked for it. */
    record Sync<T>() implements Step<T> {}

    /** The deltas of one key. */
    static final class Chain<T> {
        final Delta<T> first;
        private Delta<T> last;

        Chain(Delta<T> first) {
            this.first = first;
            this.last = first;
        }

        private void append(Delta<T> delta) {
            last.next = delta;
            last = delta;
        }
    }

    private final Signal signal;
    private final ArrayDeque<Step<T>> sealed = new ArrayDeque<>();
    private LinkedHashMap<ObjectKey, Chain<T>> open = new LinkedHashMap<>();
    private String openVersion = "";
    private long size;

    /** @param signal raised whenever there is something to pop */
    DeltaFifo(Signal signal) {
        this.signal = signal;
    }

    /**
     * Appends changes.
     *
     * @param version the version that the last of them, or a bookmark, brought the watch to; empty if there was none
     */
    void add(List<Delta<T>> deltas, String version) {
        synchronized (this) {
            for (int i = 0; i < deltas.size(); i++) {
                Delta<T> delta = deltas.get(i);
                Chain<T> chain = open.get(delta.key);
                if (chain == null) {
                    open.put(delta.key, new Chain<>(delta));
                } else {
                    chain.append(delta);
                }
            }
            size += deltas.size();
            if (!version.isEmpty()) {
                openVersion = version;
            }
        }
        signal.raise();
    }

    /** Appends a relist: from here on the cache is exactly these objects. */
    void replace(List<T> objects, Set<ObjectKey> undecodable, String version) {
        synchronized (this) {
            seal();
            sealed.add(new Replaced<>(objects, undecodable, version));
            size += objects.size();
        }
        signal.raise();
    }

    /** Appends a resync. */
    void resync() {
        synchronized (this) {
            seal();
            sealed.add(new Sync<>());
        }
        signal.raise();
    }

    private void seal() {
        if (!open.isEmpty() || !openVersion.isEmpty()) {
            sealed.add(new Deltas<>(open, openVersion));
            open = new LinkedHashMap<>();
            openVersion = "";
        }
    }

    /** Takes the next step, all deltas since the last at once; null if there is nothing. */
    synchronized @Nullable Step<T> pop() {
        Step<T> step = sealed.poll();
        if (step == null) {
            seal();
            step = sealed.poll();
        }
        switch (step) {
            case null -> {
            }
            case Deltas<T> deltas -> {
                if (sealed.isEmpty() && open.isEmpty()) {
                    size = 0;
                } else {
                    for (Chain<T> chain : deltas.byKey.values()) {
                        for (Delta<T> d = chain.first; d != null; d = d.next) {
                            size--;
                        }
                    }
                }
            }
            case Replaced<T> replaced -> size -= replaced.objects.size();
            case Sync<T> sync -> {
            }
        }
        return step;
    }

    /** How many changes wait, the objects of a relist included. */
    synchronized long size() {
        return size;
    }

    /** The keys that wait with deltas, for messages and tests. */
    synchronized List<ObjectKey> keys() {
        List<ObjectKey> keys = new ArrayList<>();
        for (Step<T> step : sealed) {
            if (step instanceof Deltas<T> deltas) {
                keys.addAll(deltas.byKey.keySet());
            }
        }
        keys.addAll(open.keySet());
        return keys;
    }
}
