package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.Tags;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Signal;

/** The parts of the informer one by one: DeltaFifo, Indexer, and the way to the handlers. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class InformerBenchmark {
    private static final int BATCH = 128;

    private static V1Pod pod(int i) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("team-" + i % 20).name("pod-" + i).uid("uid-" + i)
                .resourceVersion(String.valueOf(i)));
    }

    /** Changes of some pods. */
    @State(Scope.Thread)
    public static class Changes {
        private final DeltaFifo<V1Pod> fifo = new DeltaFifo<>(new Signal(), () -> {});
        private final List<V1Pod> pods = new ArrayList<>();

        /** Makes the pods. */
        @Setup
        public void make() {
            for (int i = 0; i < BATCH; i++) {
                pods.add(pod(i));
            }
        }
    }

    /** One change through the DeltaFifo, in batches. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void deltaFifo(Changes changes, Blackhole sink) {
        List<Delta<V1Pod>> batch = new ArrayList<>(BATCH);
        for (V1Pod pod : changes.pods) {
            batch.add(new Delta<>(Delta.Type.UPDATED, ObjectKey.of(pod), pod));
        }
        changes.fifo.add(batch, "1");
        if (changes.fifo.pop() instanceof DeltaFifo.Deltas<V1Pod> deltas) {
            deltas.deltas().forEach(sink::consume);
        }
    }

    /** A store that is read while it is written. */
    @State(Scope.Group)
    public static class Store {
        /** How many objects it holds. */
        @Param({"1000", "100000"})
        public int objects;

        private final ThreadSafeStore<V1Pod> indexer = new ThreadSafeStore<>(
                Map.of(Indexer.NAMESPACE_INDEX, pod -> List.of(pod.getMetadata().getNamespace())));
        private final List<V1Pod> pods = new ArrayList<>();
        private int next;

        /** Fills it. */
        @Setup
        public void fill() {
            for (int i = 0; i < objects; i++) {
                pods.add(pod(i));
                indexer.put(ObjectKey.of(pods.get(i)), pods.get(i));
            }
        }
    }

    /** A thread that writes without a pause. */
    @Benchmark
    @Group("indexer")
    @GroupThreads(1)
    public void put(Store store, Blackhole sink) {
        V1Pod pod = store.pods.get(store.next++ % store.objects);
        sink.consume(store.indexer.put(ObjectKey.of(pod), pod));
    }

    /** A thread that meanwhile reads one object at a time. */
    @Benchmark
    @Group("indexer")
    @GroupThreads(1)
    public Object get(Store store) {
        int i = java.util.concurrent.ThreadLocalRandom.current().nextInt(store.objects);
        return store.indexer.get(ObjectKey.of(store.pods.get(i)));
    }

    /** A thread that writes without a pause. */
    @Benchmark
    @Group("indexerLists")
    @GroupThreads(1)
    public void putWhileListed(Store store, Blackhole sink) {
        put(store, sink);
    }

    /** A thread that meanwhile reads all objects of a namespace, a twentieth of all objects. */
    @Benchmark
    @Group("indexerLists")
    @GroupThreads(1)
    public Object listNamespace(Store store) {
        return store.indexer.list("team-7");
    }

    /** Some listeners. */
    @State(Scope.Thread)
    public static class Listeners {
        /** How many. */
        @Param({"1", "10", "100"})
        public int listeners;

        private final SharedProcessor<V1Pod> processor = new SharedProcessor<>();
        private final List<Notification<V1Pod>> updates = new ArrayList<>();

        /** Registers them. */
        @Setup
        public void register(Blackhole sink) {
            for (int i = 0; i < BATCH; i++) {
                updates.add(new Notification.Update<>(pod(i), pod(i)));
            }
            for (int i = 0; i < listeners; i++) {
                processor.add(new ProcessorListener<>(ResourceType.PODS, new ResourceEventHandler<>() {
                    @Override
                    public void onAdd(V1Pod pod, boolean initial) {}

                    @Override
                    public void onUpdate(V1Pod before, V1Pod after) {
                        sink.consume(after);
                    }

                    @Override
                    public void onDelete(V1Pod pod, boolean finalStateUnknown) {}
                }, Duration.ZERO, 4096, new SyncTracker(), new Signal(), Clock.system(),
                        new InformerMeters(Meters.NONE, Clock.system(), Tags.empty())));
            }
        }
    }

    /** One change to all listeners, and the calls of their handlers, by one thread. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fanOut(Listeners state) {
        state.processor.distribute(state.updates);
        for (ProcessorListener<V1Pod> listener : state.processor.listeners()) {
            while (listener.step() == ProcessorListener.BUSY) {
                // On to the next.
            }
        }
    }
}
