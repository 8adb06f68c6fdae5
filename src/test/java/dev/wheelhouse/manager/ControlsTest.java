package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.OutageBackoff;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Controllers that are paused, drained, resumed, retried and changed while their workers run on threads. */
@Timeout(900)
class ControlsTest {
    private static final Duration SOON = Duration.ofMinutes(2);

    private final Cluster cluster = new Cluster();
    private final LoopRunner runner = new LoopRunner("test", cluster.clock);
    private final BlockingQueue<String> synced = new LinkedBlockingQueue<>();
    private final Map<String, RuntimeException> failures = new ConcurrentHashMap<>();
    private final Semaphore mayEnd = new Semaphore(0);
    private final ControllerManager manager = new ControllerManager(
            cluster.context(new ControllerContext.Settings((name, preset) -> 2, Parallel.inOrder(),
                    name -> false, name -> true, ControllerMetrics.NONE)),
            List.of(new ControllerDescriptor("keeper", Set.of(), Keeper::new)),
            new ManagerGuard(ManagerGuard.Mode.TAKEOVER, cluster.client(), cluster.clock), Election.none().leadership(),
            Standby.COLD, runner);

    private final class Keeper extends KeyedController<ObjectKey> {
        Keeper(ControllerContext context) {
            super("keeper", context);
            informerFor(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
            keeper = this;
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
            synced.add(key.name());
            if (key.name().startsWith("blocks")) {
                mayEnd.acquire();
            }
            RuntimeException failure = failures.get(key.name());
            if (failure != null) {
                throw failure;
            }
            return Result.done();
        }

        void add(String name) {
            queue.add(ObjectKey.of("default", name));
        }
    }

    private Keeper keeper;

    @BeforeEach
    void start() throws InterruptedException {
        step();
        assertThat(manager.isRunning()).isTrue();
    }

    @AfterEach
    void stop() {
        mayEnd.release(1000);
        runner.close();
        cluster.close();
    }

    private void step() throws InterruptedException {
        manager.step();
        cluster.deliver();
        manager.step();
    }

    private ControllerControl control() {
        return manager.control("keeper").orElseThrow();
    }

    private LiveController live() {
        return manager.live().getFirst();
    }

    private void add(String... names) {
        for (String name : names) {
            keeper.add(name);
        }
    }

    private void eventuallySynced(String... names) {
        eventually("synced " + List.of(names), SOON, () -> synced.containsAll(List.of(names)));
    }

    private void eventuallyBusy(int syncs) {
        eventually(syncs + " syncs run", SOON, () -> live().running().size() == syncs);
    }

    private int depth() {
        return live().queues().getFirst().state().depth();
    }

    @Test
    void aPausedControllerTakesNoKeysAndAResumedOneTakesThoseThatItsQueueHasCollected() {
        add("a");
        eventuallySynced("a");
        control().turn(ControllerMode.PAUSED);
        assertThat(live().mode()).isEqualTo(ControllerMode.PAUSED);
        // Both workers wait in the queue: each is woken by a key, and lets it lie.
        add("b");
        add("c");
        eventually("the keys wait", SOON, () -> depth() == 2);
        control().turn(ControllerMode.RUNNING);
        eventuallySynced("b", "c");
        assertThat(synced).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void aDrainedControllerTakesTheKeysThatAreReadyAndPausesThen() {
        add("blocks-1", "blocks-2");
        eventuallyBusy(2);
        add("a", "b");
        control().turn(ControllerMode.DRAINING);
        assertThat(live().mode()).isEqualTo(ControllerMode.DRAINING);
        mayEnd.release(2);
        eventually("it is paused", SOON, () -> live().mode() == ControllerMode.PAUSED);
        assertThat(synced).contains("a", "b");
        add("c");
        eventually("the key waits", SOON, () -> depth() == 1);
        assertThat(synced).doesNotContain("c");
    }

    @Test
    void aControllerWithoutAKeyIsDrainedAtOnce() {
        control().turn(ControllerMode.DRAINING);
        assertThat(live().mode()).isEqualTo(ControllerMode.PAUSED);
    }

    @Test
    void moreWorkersSyncMoreKeysAtOnceAndFewerLeaveNoKeyBehind() throws InterruptedException {
        control().workers(4);
        step();
        assertThat(live().workers()).isEqualTo(4);
        add("blocks-1", "blocks-2", "blocks-3", "blocks-4", "blocks-5");
        eventuallyBusy(4);
        assertThat(depth()).isEqualTo(1);

        control().workers(1);
        mayEnd.release(4);
        eventuallyBusy(1);
        mayEnd.release(1);
        eventuallyBusy(0);
        assertThat(live().workers()).isEqualTo(1);
        for (int i = 0; i < 50; i++) {
            add("key-" + i);
            eventuallySynced("key-" + i);
        }
        assertThatThrownBy(() -> control().workers(0)).hasMessageContaining("must be from 1 to 1000, not 0");
    }

    @Test
    void aWorkerThatIsHeldLeavesTheKeyThatWokeItToAnother() throws InterruptedException {
        RateLimitingQueue<String> queue = new RateLimitingQueue<>("queue", cluster.clock, Meters.NONE);
        WorkerGate gate = new WorkerGate(queue::size);
        Worker<String> worker = new Worker<>("two", queue, new OutageBackoff<>(queue, cluster.clock),
                key -> Result.done(),
                cluster.clock, ControllerMetrics.NONE);
        // The worker that has waited for longest is woken first.
        Thread held = awaitAndStep(new WhileLeading(worker, () -> true, gate, 1));
        Thread free = awaitAndStep(new WhileLeading(worker.another(), () -> true, gate, 0));

        gate.admit(1);
        queue.add("a");
        held.join(SOON);
        free.join(SOON);
        assertThat(free.isAlive()).isFalse();
        assertThat(queue.state().taken()).isEqualTo(1);
    }

    private static Thread awaitAndStep(WhileLeading worker) {
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                worker.await(Duration.ofMinutes(5).toNanos());
                worker.step();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        eventually("it waits", SOON, () -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    @Test
    void aFailingKeyNamesItsNextTryAndIsRetriedAtOnceOnDemand() {
        failures.put("broken", new IllegalStateException("no luck"));
        add("broken");
        eventually("it has failed", SOON, () -> live().state().failing().stream()
                .anyMatch(failing -> failing.nextTry() != null));
        FailingKey failing = live().state().failing().getFirst();
        assertThat(failing.error()).contains("no luck");
        assertThat(failing.nextTry()).isEqualTo(cluster.clock.now().plusMillis(5));

        failures.clear();
        assertThat(control().retry("default/other")).isZero();
        assertThat(control().retry("default/broken")).isEqualTo(1);
        eventually("it fails no more", SOON, () -> live().state().failingKeys() == 0);
        assertThat(synced).containsExactly("broken", "broken");
    }

    @Test
    void rateLimitsThatAreChangedCountForTheNextFailure() {
        control().limit(new RateLimits(Duration.ofSeconds(7), Duration.ofSeconds(7), 10, 100));
        failures.put("broken", new IllegalStateException("no luck"));
        add("broken");
        eventually("it has failed", SOON, () -> live().state().failing().stream()
                .anyMatch(failing -> failing.nextTry() != null));
        assertThat(live().state().failing().getFirst().nextTry()).isEqualTo(cluster.clock.now().plusSeconds(7));
        assertThat(live().queues().getFirst().limits().first()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void thereIsNoControlOfAControllerThatDoesNotExist() {
        assertThat(manager.control("nobody")).isEmpty();
    }
}
