package dev.wheelhouse.controller;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueueMetrics;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

class KeyedControllerTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private DefaultControllerContext context(boolean observeOnly) {
        return cluster.context(new DefaultControllerContext.Settings((controller, preset) -> 2, Parallel.inOrder(),
                controller -> observeOnly, controller -> true, WorkQueueMetrics.NONE, ControllerMetrics.NONE));
    }

    /** A controller that creates one more pod in each sync. */
    private static final class Maker extends KeyedController<ObjectKey> {
        final List<ObjectKey> synced = new ArrayList<>();

        Maker(ControllerContext context) {
            super("maker", context);
            informerFor(ResourceType.PODS, V1Pod.class);
        }

        @Override
        protected Result sync(ObjectKey key) {
            synced.add(key);
            V1Pod pod = Manifests.pod(null);
            pod.getMetadata().setGenerateName("made-");
            return executor.execute(key, List.of(new Action.Create(ResourceType.PODS, pod, "one more"))).toResult();
        }

        void add(ObjectKey key) {
            queue.add(key);
        }
    }

    @Test
    void aKeyIsNotSyncedOnCachesOlderThanItsOwnWrites() throws Exception {
        Maker maker = new Maker(context(false));
        Loop worker = maker.loops().get(0);
        maker.add(KEY);
        worker.step();
        for (int i = 0; i < 5; i++) {
            maker.add(KEY);
            worker.step();
        }
        maker.add(ObjectKey.of("default", "other"));
        worker.step();
        assertThat(maker.synced).containsExactly(KEY, ObjectKey.of("default", "other"));
        cluster.deliver();
        cluster.clock.advance(Duration.ofMillis(5));
        worker.step();
        assertThat(maker.synced).hasSize(3);
    }

    @Test
    void aWriteWithoutAnswerIsSettledByAConsistentReadBeforeTheNextSync() throws Exception {
        cluster.requests.fault(Requests.Fault.afterwards(Requests.Fault.on("create", ResourceType.PODS,
                () -> new ApiError("create pods", new IOException("timed out")))));
        Maker maker = new Maker(context(false));
        Loop worker = maker.loops().get(0);
        maker.add(KEY);
        worker.step();
        cluster.requests.noFault();
        cluster.requests.take();
        cluster.clock.advance(Duration.ofSeconds(1));
        worker.step();
        assertThat(cluster.requests.take()).containsExactly("list pods default/*");
        assertThat(maker.synced).hasSize(1);
        cluster.deliver();
        cluster.clock.advance(Duration.ofSeconds(1));
        worker.step();
        assertThat(maker.synced).hasSize(2);
    }

    @Test
    void aReadThatFailsToSettleIsTriedAgain() throws Exception {
        cluster.requests.fault((verb, type, key) -> new ApiError(verb, new IOException("down")));
        Maker maker = new Maker(context(false));
        Loop worker = maker.loops().get(0);
        maker.add(KEY);
        for (int i = 0; i < 4; i++) {
            worker.step();
            cluster.clock.advance(Duration.ofSeconds(10));
        }
        assertThat(maker.synced).hasSize(1);
        cluster.requests.noFault();
        worker.step();
        assertThat(maker.synced).as("nothing has landed, so there is nothing to wait for").hasSize(2);
    }

    @Test
    void tenThousandKeysOfOneNamespaceDelayAnothersFirstKeyByOneTurn() throws Exception {
        Maker maker = new Maker(context(false));
        for (int i = 0; i < 10_000; i++) {
            maker.add(ObjectKey.of("crowded", "key-" + i));
        }
        maker.add(ObjectKey.of("quiet", "only"));
        Loop worker = maker.loops().get(0);
        worker.step();
        worker.step();
        assertThat(maker.synced).containsExactly(ObjectKey.of("crowded", "key-0"), ObjectKey.of("quiet", "only"));
    }

    @Test
    void anObservingControllerPlansAndWritesNothing() throws Exception {
        Maker maker = new Maker(context(true));
        maker.add(KEY);
        maker.loops().get(0).step();
        assertThat(maker.synced).containsExactly(KEY);
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void itNamesItsCachesAndItsWorkersAndEndsThem() throws Exception {
        Maker maker = new Maker(context(false));
        assertThat(maker.name()).isEqualTo("maker");
        assertThat(maker.informers()).hasSize(1);
        assertThat(maker.loops()).hasSize(2).isEqualTo(maker.loops());
        maker.add(KEY);
        maker.close();
        assertThat(maker.loops().get(0).step()).isEqualTo(Loop.IDLE);
        assertThat(maker.synced).isEmpty();
    }
}
