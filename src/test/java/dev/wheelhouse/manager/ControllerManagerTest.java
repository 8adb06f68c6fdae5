package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.election.ElectionOptions;
import dev.wheelhouse.election.LeaderElector;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The manager sleeps until something happens. The clock stands still unless a test moves it, and {@code await} without
 * a limit returns only if the manager was woken, so a wake-up that is missing ends in the timeout.
 */
@Timeout(900)
class ControllerManagerTest {
    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(ApiServerOptions.defaults().withClock(clock));
    private final KubeClient client = server.client("manager");
    private final InformerFactory informers = new InformerFactory(client, clock);
    private final LoopRunner runner = new LoopRunner("manager-test", clock);

    private final List<String> handled = new ArrayList<>();

    private final class OfPods extends KeyedController<ObjectKey> {
        OfPods(ControllerContext context) {
            super("of-pods", context);
            watch(informerFor(ResourceType.PODS, V1Pod.class)).onAdd()
                    .run(change -> handled.add(change.object().getMetadata().getName()));
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            return Result.done();
        }
    }

    private ControllerManager manager(Leadership leadership) {
        return manager(leadership, Standby.COLD);
    }

    private ControllerManager manager(Leadership leadership, Standby standby) {
        return new ControllerManager(
                new ControllerContext(client, informers, clock, component -> EventRecorder.NONE,
                        ControllerContext.Settings.stepped()),
                List.of(new ControllerDescriptor("of-pods", Set.of(), OfPods::new)),
                new ManagerGuard(ManagerGuard.Mode.TAKEOVER, client, clock), leadership, standby, runner);
    }

    @AfterEach
    void stop() {
        runner.close();
        informers.close();
        server.close();
    }

    private void syncCaches() throws InterruptedException {
        boolean busy = true;
        while (busy) {
            busy = false;
            for (Loop loop : informers.loops()) {
                busy |= loop.step() == Loop.BUSY;
            }
        }
    }

    @Test
    void sleepsUntilItsNextReportWhileACacheHasNotSynced() throws InterruptedException {
        ControllerManager manager = manager(Leadership.ALONE);

        assertThat(manager.step()).isEqualTo(Duration.ofSeconds(10).toNanos());
        clock.advance(Duration.ofSeconds(4));
        assertThat(manager.step()).isEqualTo(Duration.ofSeconds(6).toNanos());
        clock.advance(Duration.ofSeconds(6));
        assertThat(manager.step()).as("it has reported").isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(manager.waitingFor()).containsExactly("pods: the first list has not come yet");
        assertThat(manager.isRunning()).isFalse();
    }

    @Test
    void isWokenByTheCacheThatItWaitsForAndThenSleepsUntilItLooksForBlockedSyncs() throws InterruptedException {
        ControllerManager manager = manager(Leadership.ALONE);
        manager.step();
        drainWakeUps(manager);

        syncCaches();
        manager.await(Loop.IDLE);

        assertThat(manager.step()).isEqualTo(Duration.ofSeconds(5).toNanos());
        assertThat(manager.isRunning()).isTrue();
        assertThat(manager.waitingFor()).isEmpty();
    }

    @Test
    void standsByAsleepAndIsWokenByTheLead() throws InterruptedException {
        LeaderElector elector = elector("me");
        ControllerManager manager = manager(elector);

        assertThat(manager.step()).isEqualTo(Loop.IDLE);
        assertThat(manager.controllers()).as("none is made before this process leads").isEmpty();
        elector.step();
        manager.await(Loop.IDLE);

        assertThat(manager.step()).isPositive();
        assertThat(manager.controllers()).hasSize(1);
    }

    @Test
    void aWarmStandbyHasCachesAndItsControllersWorkOnlyWhenTheseAreNotOlderThanTheLead() throws InterruptedException {
        LeaderElector leader = elector("leader");
        leader.step();
        LeaderElector elector = elector("standby");
        elector.step();
        ControllerManager manager = manager(elector, Standby.WARM);
        int[] told = new int[1];
        manager.whenStandingBy(() -> told[0]++);
        manager.step();
        assertThat(told[0]).as("told without caches").isZero();
        assertThat(manager.isReady()).as("ready without caches").isFalse();
        assertThat(manager.waitingFor()).containsExactly("leader leads", "pods: the first list has not come yet");
        syncCaches();
        manager.step();
        assertThat(manager.isReady()).as("ready with caches").isTrue();
        assertThat(told[0]).as("told with caches").isEqualTo(1);
        assertThat(manager.standsBy()).isTrue();
        assertThat(manager.states()).singleElement().extracting(ControllerState::doing).isEqualTo("standing by");
        assertThat(handled).isEmpty();

        server.client("leader").resource(ResourceType.PODS, V1Pod.class).create(pod("of-the-leader"));
        leader.release();
        clock.advance(Duration.ofMillis(1));
        elector.step();
        manager.step();
        assertThat(manager.isRunning()).as("runs on a cache that lacks the leader's last write").isFalse();
        assertThat(manager.waitingFor())
                .containsExactly("pods: the cache has not reached the beginning of the lead yet");
        syncCaches();
        manager.step();
        assertThat(manager.isRunning()).as("runs before its handlers have had the objects").isFalse();
        syncCaches();
        assertThat(handled).containsExactly("of-the-leader");
        manager.step();
        assertThat(manager.isRunning()).isTrue();
    }

    private static V1Pod pod(String name) {
        return new V1Pod().metadata(new V1ObjectMeta().namespace("default").name(name))
                .spec(new V1PodSpec().addContainersItem(new V1Container().name("c").image("i")));
    }

    private LeaderElector elector(String name) {
        return new LeaderElector(
                new ElectionOptions(ObjectKey.of("default", "manager"), name, Duration.ofSeconds(15),
                        Duration.ofSeconds(10), Duration.ofSeconds(2)),
                client, clock, new SplittableRandom(1), Meters.NONE);
    }

    @Test
    void tellsThatAllControllersRunOnceAndAtOnceIfTheyDo() throws InterruptedException {
        ControllerManager manager = manager(Leadership.ALONE);
        int[] told = new int[2];
        manager.whenRunning(() -> told[0]++);
        manager.step();
        assertThat(told[0]).isZero();

        syncCaches();
        manager.step();
        manager.step();
        manager.whenRunning(() -> told[1]++);

        assertThat(told).containsExactly(1, 1);
    }

    /** The construction wakes the manager, because this process leads from the beginning. */
    private static void drainWakeUps(ControllerManager manager) throws InterruptedException {
        manager.await(1);
    }
}
