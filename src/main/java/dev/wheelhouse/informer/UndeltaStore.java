package dev.wheelhouse.informer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * A Reflector with its own store. After each change it passes the whole collection to a consumer, but nothing before
 * the first list is complete (upstream: client-go {@code tools/cache/undelta_store.go}). One loop lists, watches and
 * calls the consumer; any thread may read the state.
 */
public class UndeltaStore<T extends KubernetesObject> implements Loop {
    private final Consumer<List<T>> send;
    private final DeltaFifo<T> fifo = new DeltaFifo<>(new Signal(), this::wake);
    private final Reflector<T> reflector;
    private final Map<ObjectKey, T> objects = new LinkedHashMap<>();
    private volatile boolean synced;

    /**
     * @param type the class of the objects; objects of another class are skipped
     * @param send receives all objects after each change, on the loop's thread; it must not block
     */
    public UndeltaStore(ListerWatcher<T> source, Class<T> type, Consumer<List<T>> send, InformerOptions options,
            Clock clock) {
        this.send = send;
        this.reflector = new Reflector<>(source, type, fifo, options, clock,
                new InformerMeters(Meters.NONE, clock, Tags.empty()));
    }

    @Override
    public long step() throws InterruptedException {
        try {
            return reflector.step();
        } finally {
            pushAll();
        }
    }

    /** The Reflector may append deltas on the thread that reads the watch. */
    private void wake() {
        reflector.wake();
    }

    private void pushAll() {
        boolean changed = false;
        for (DeltaFifo.Step<T> step = fifo.pop(); step != null; step = fifo.pop()) {
            changed |= switch (step) {
                case DeltaFifo.Replaced<T> replaced -> replace(replaced);
                case DeltaFifo.Deltas<T> deltas -> apply(deltas);
                case DeltaFifo.Sync<T> sync -> true;
                case DeltaFifo.Mark<T> mark -> false;
            };
        }
        if (changed && synced) {
            send.accept(List.copyOf(objects.values()));
        }
    }

    private boolean replace(DeltaFifo.Replaced<T> replaced) {
        Map<ObjectKey, T> old = new LinkedHashMap<>(objects);
        objects.clear();
        replaced.objects().forEach(object -> objects.put(ObjectKey.of(object), object));
        for (ObjectKey key : replaced.undecodable()) {
            T last = old.get(key);
            if (last != null) {
                objects.putIfAbsent(key, last);
            }
        }
        synced = true;
        return true;
    }

    private boolean apply(DeltaFifo.Deltas<T> deltas) {
        for (Delta<T> delta : deltas.deltas()) {
            T object = delta.object();
            if (delta.type() == Delta.Type.DELETED || object == null) {
                objects.remove(delta.key());
            } else {
                objects.put(delta.key(), object);
            }
        }
        return !deltas.deltas().isEmpty();
    }

    /** Whether the first list is complete. It becomes true before the consumer gets that list. */
    public boolean hasSynced() {
        return synced;
    }

    /** Why the last list or watch failed; null after a success. */
    public @Nullable String lastError() {
        InformerState.Failure failure = reflector.status().failure();
        return failure == null ? null : failure.message();
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        reflector.await(nanos);
    }

    @Override
    public void close() {
        reflector.close();
    }
}
