package dev.wheelhouse.controller;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueueMetrics;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KeyedControllerTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "web");

    private final Cluster cluster = new Cluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private ControllerContext context(boolean observeOnly) {
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
        protected Result sync(ObjectKey key, SyncRun run) {
            synced.add(key);
            V1Pod pod = Manifests.pod(null);
            pod.getMetadata().setGenerateName("made-");
            return run.execute(List.of(new Action.Create(ResourceType.PODS, pod, "one more"))).toResult();
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
                () -> new KubeApiException("create pods", new IOException("timed out")))));
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
        cluster.requests.fault((verb, type, key) -> new KubeApiException(verb, new IOException("down")));
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

    /** A controller whose keys say what a sync does. */
    private static final class Scripted extends KeyedController<Scripted.Step> {
        final List<String> effects = new ArrayList<>();
        final List<Step> seen = new ArrayList<>();
        boolean quiet;

        enum Step {
            ACT, FAIL, REFUSE, WAIT, EMPTY
        }

        Scripted(ControllerContext context) {
            super("scripted", context);
            informerFor(ResourceType.PODS, V1Pod.class);
        }

        void add(Step step) {
            queue.add(step);
        }

        @Override
        protected @Nullable Step keyOf(String groupResource, ObjectKey object) {
            return groupResource.equals("pods") ? Step.ACT : null;
        }

        @Override
        protected Result sync(Step step, SyncRun run) {
            run.effect(() -> effects.add("effect of " + step));
            run.note(() -> seen.add(step));
            run.count(Measure.counter("steps_total", "Steps"), 1);
            return switch (quiet ? Step.EMPTY : step) {
                case ACT -> run.execute(List.of(
                        Action.Batch.each(List.of(pod("a"), pod("b"))),
                        new Action.Event(ResourceType.PODS, Manifests.pod("b"), "Normal", "Made", "it is made"),
                        new Action.RequeueAfter(Duration.ofSeconds(3)))).toResult();
                case FAIL -> Result.retry(new KubeApiException("read", new IOException("down")));
                case REFUSE -> Result.terminal("it is wrong");
                case WAIT -> Result.requeueAfter(Duration.ofSeconds(1));
                case EMPTY -> Result.done();
            };
        }

        private static Action.Create pod(String name) {
            return new Action.Create(ResourceType.PODS, Manifests.pod(name), "the step wants it");
        }
    }

    @Test
    void aPlanIsTheSyncWithoutWritesAndEffects() {
        Scripted scripted = new Scripted(context(false));
        assertThat(scripted.plan(Scripted.Step.ACT)).hasSize(3).last()
                .isEqualTo(new Action.RequeueAfter(Duration.ofSeconds(3)));
        assertThat(scripted.plan(Scripted.Step.WAIT)).containsExactly(new Action.RequeueAfter(Duration.ofSeconds(1)));
        assertThat(scripted.plan(Scripted.Step.EMPTY)).isEmpty();
        assertThatThrownBy(() -> scripted.plan(Scripted.Step.FAIL)).isInstanceOf(KubeApiException.class);
        assertThatThrownBy(() -> scripted.plan(Scripted.Step.REFUSE)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("it is wrong");
        assertThat(scripted.effects).isEmpty();
        assertThat(scripted.seen).isEmpty();
        assertThat(cluster.requests.take()).isEmpty();
    }

    @Test
    void thePlanOfAnObjectIsThePartOfItsKeysSyncThatConcernsIt() {
        Scripted scripted = new Scripted(context(false));
        assertThat(scripted.plan("pods", ObjectKey.of("default", "b")).orElseThrow()).hasSize(2)
                .hasOnlyElementsOfTypes(Action.Create.class, Action.Event.class);
        assertThat(scripted.plan("pods", ObjectKey.of("default", "c"))).hasValue(List.of());
        assertThat(scripted.plan("nodes", ObjectKey.cluster("b"))).isEmpty();
    }

    @Test
    void anObservingControllerCountsAPlanThatStaysOnceAndHasNoEffects() throws Exception {
        List<String> counted = new ArrayList<>();
        Scripted scripted = new Scripted(cluster.context(new DefaultControllerContext.Settings(
                (controller, preset) -> 1, Parallel.inOrder(), controller -> true, controller -> false,
                WorkQueueMetrics.NONE, new ControllerMetrics() {
                    @Override
                    public void planned(String controller, String verb, ResourceType type) {
                        counted.add(verb + " " + type);
                    }

                    @Override
                    public void record(Measure measure, double value, String... labels) {
                        counted.add(measure.name());
                    }
                })));
        Loop worker = scripted.loops().get(0);
        for (int i = 0; i < 3; i++) {
            scripted.add(Scripted.Step.ACT);
            worker.step();
        }
        assertThat(counted).containsExactly("create pods", "create pods");
        scripted.quiet = true;
        scripted.add(Scripted.Step.ACT);
        worker.step();
        scripted.quiet = false;
        scripted.add(Scripted.Step.ACT);
        worker.step();
        assertThat(counted).as("a sync without writes drops the plan").hasSize(4);
        assertThat(scripted.effects).isEmpty();
        assertThat(scripted.seen).as("what it has seen is remembered").hasSize(5);
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
