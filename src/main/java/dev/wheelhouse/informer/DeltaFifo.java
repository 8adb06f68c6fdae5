package dev.wheelhouse.informer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.Signal;

/**
 * The queue from the Reflector, its producer, to the informer loop, its consumer (upstream: client-go
 * {@code tools/cache/the_real_fifo.go}). It collects the deltas since the consumer's last pop and returns them in one
 * batch, in the order of their arrival across all keys. A relist ({@link Replaced}), a resync ({@link Sync}) and a
 * {@link Mark} are steps of their own; they keep their place between the deltas before and after them.
 *
 * <p>Any thread may call any method, but only one thread may pop.
 */
final class DeltaFifo<T> {
    /** The unit that the consumer pops: one step of the cache. */
    sealed interface Step<T> {}

    /**
     * Deltas in the order of their arrival.
     *
     * @param version the resource version of the cache after these deltas; empty if it is not known
     */
    record Deltas<T>(List<Delta<T>> deltas, String version) implements Step<T> {}

    /**
     * The whole collection at one version, as a list returned it.
     *
     * @param undecodable the keys of listed objects that could not be decoded
     */
    record Replaced<T>(List<T> objects, Set<ObjectKey> undecodable, String version) implements Step<T> {}

    /** A resync: the listeners whose resync is due get an update for every cached object. */
    record Sync<T>() implements Step<T> {}

    /** A mark between other steps: the actions run when the cache shows all steps before it. */
    record Mark<T>(List<Runnable> actions) implements Step<T> {}

    private final Signal signal;
    private final Runnable added;
    /** The steps to which no delta is added any more, in order. */
    private final ArrayDeque<Step<T>> sealed = new ArrayDeque<>();
    /** The deltas after the last sealed step. */
    private List<Delta<T>> open = new ArrayList<>();
    private String openVersion = "";
    private long size;

    /**
     * @param signal raised whenever a step other than deltas was appended
     * @param added called whenever deltas were appended, by the producer's thread
     */
    DeltaFifo(Signal signal, Runnable added) {
        this.signal = signal;
        this.added = added;
    }

    /**
     * Appends deltas.
     *
     * @param version the version of the last delta or bookmark; empty if there was none
     */
    void add(List<Delta<T>> deltas, String version) {
        synchronized (this) {
            open.addAll(deltas);
            size += deltas.size();
            if (!version.isEmpty()) {
                openVersion = version;
            }
        }
        added.run();
    }

    /** Appends a relist: the cache then holds exactly these objects. */
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

    /** Appends actions that run when the cache shows everything that was appended before. */
    void mark(List<Runnable> actions) {
        synchronized (this) {
            seal();
            sealed.add(new Mark<>(actions));
        }
        signal.raise();
    }

    private void seal() {
        if (!open.isEmpty() || !openVersion.isEmpty()) {
            sealed.add(new Deltas<>(open, openVersion));
            open = new ArrayList<>();
            openVersion = "";
        }
    }

    /** Removes and returns the next step, with all deltas collected so far; null if there is none. */
    synchronized @Nullable Step<T> pop() {
        Step<T> step = sealed.poll();
        if (step == null) {
            seal();
            step = sealed.poll();
        }
        switch (step) {
            case null -> {
            }
            case Deltas<T> deltas -> size -= deltas.deltas.size();
            case Replaced<T> replaced -> size -= replaced.objects.size();
            case Sync<T> sync -> {
            }
            case Mark<T> mark -> {
            }
        }
        return step;
    }

    /** The number of waiting changes; each object of a relist counts as one. */
    synchronized long size() {
        return size;
    }
}
