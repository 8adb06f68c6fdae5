package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.meters.Counts;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.Signal;

import static org.assertj.core.api.Assertions.assertThat;

/** The buffer and the loop of one handler. */
class ProcessorListenerTest {
    private final Recorder handler = new Recorder();
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ProcessorListener<V1ConfigMap> listener = listener(handler, 3);

    private ProcessorListener<V1ConfigMap> listener(ResourceEventHandler<V1ConfigMap> handler, int bound) {
        return new ProcessorListener<>(ResourceType.CONFIG_MAPS, handler, Duration.ZERO, bound,
                new SyncTracker(), new Signal(), new ManualClock(),
                new InformerMeters(registry, new ManualClock(), Tags.empty()));
    }

    private List<String> conflated() {
        return Counts.of(registry, "informer.conflations");
    }

    private static V1ConfigMap object(String name, int version) {
        return new V1ConfigMap().kind("ConfigMap")
                .metadata(new V1ObjectMeta().name(name).uid("uid-" + name).resourceVersion(String.valueOf(version)));
    }

    private static Notification<V1ConfigMap> update(String name, int from, int to) {
        return new Notification.Update<>(object(name, from), object(name, to));
    }

    private void add(Notification<V1ConfigMap> notification) {
        listener.add(List.of(notification));
    }

    private List<String> told() {
        while (listener.step() == Loop.BUSY) {
            // Step until everything is delivered.
        }
        return handler.calls;
    }

    @Test
    void belowItsBoundEveryUpdateArrives() {
        add(update("a", 1, 2));
        add(update("a", 2, 3));
        add(update("a", 3, 4));
        assertThat(told()).containsExactly("a@1>2", "a@2>3", "a@3>4");
        assertThat(conflated()).hasSize(0);
    }

    @Test
    void pastItsBoundConsecutiveUpdatesOfOneObjectAreMerged() {
        add(update("a", 1, 2));
        add(update("b", 1, 2));
        add(update("b", 2, 3));
        add(update("a", 2, 3));
        add(update("a", 3, 4));
        add(update("b", 3, 4));
        add(update("c", 1, 2));
        add(update("c", 2, 3));
        assertThat(told()).as("in the order in which the last states arrived").containsExactly("b@1>2", "a@1>4",
                "b@2>4", "c@1>3");
        assertThat(conflated()).hasSize(4);
    }

    @Test
    void pastItsBoundAddsAndDeletesStillArriveAndUpdatesAreNotMergedAcrossThem() {
        add(update("a", 1, 2));
        add(update("a", 2, 3));
        add(update("a", 3, 4));
        add(new Notification.Delete<>(object("a", 5), false));
        add(new Notification.Add<>(object("a", 6), false));
        add(update("a", 6, 7));
        add(update("a", 7, 8));
        add(new Notification.Delete<>(object("a", 9), false));
        assertThat(told()).containsExactly("a@1>2", "a@2>3", "a@3>4", "-a@5", "+a@6", "a@6>8", "-a@9");
    }

    @Test
    void afterItCaughtUpNothingIsMerged() {
        for (int i = 1; i < 9; i++) {
            add(update("a", i, i + 1));
        }
        told();
        handler.calls.clear();
        add(update("a", 9, 10));
        add(update("a", 10, 11));
        assertThat(told()).containsExactly("a@9>10", "a@10>11");
    }

    @Test
    void aSlowHandlerDelaysOnlyItself() {
        Recorder other = new Recorder();
        ProcessorListener<V1ConfigMap> slow = listener(handler, 3);
        ProcessorListener<V1ConfigMap> fast = listener(other, 3);
        SharedProcessor<V1ConfigMap> processor = new SharedProcessor<>();
        processor.add(slow);
        processor.add(fast);
        for (int i = 1; i < 100; i++) {
            processor.distribute(List.of(update("a", i, i + 1)));
            fast.step();
        }
        assertThat(other.calls).hasSize(99);
        assertThat(slow.pending()).isEqualTo(3);
        assertThat(handler.calls).isEmpty();
    }

    @Test
    void aRemovedListenerEndsTheThreadThatDrivesIt() {
        listener.close();
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> listener.await(Loop.IDLE))
                .isInstanceOf(InterruptedException.class);
        add(update("a", 1, 2));
        assertThat(told()).isEmpty();
    }
}
