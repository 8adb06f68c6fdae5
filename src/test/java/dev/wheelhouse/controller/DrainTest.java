package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("A stop of the controllers")
@Timeout(900)
class DrainTest {
    private final Cluster cluster = new Cluster();
    private final LoopRunner runner = new LoopRunner("drain", Clock.system());
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private ControllerManager manager;

    /** A controller whose syncs last until the test releases them. */
    private final class Slow extends KeyedController<ObjectKey> {
        Slow(ControllerContext context) {
            super("slow", context);
            for (int i = 0; i < 10; i++) {
                queue.add(ObjectKey.of("default", "key-" + i));
            }
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
            begun.incrementAndGet();
            try {
                assertThat(mayEnd.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
            ended.incrementAndGet();
            return Result.done();
        }
    }

    @BeforeEach
    void start() throws InterruptedException {
        ControllerContext context = new ControllerContext(cluster.client(), cluster.informers(),
                Clock.system(), component -> EventRecorder.NONE,
                new ControllerContext.Settings((name, preset) -> 5, Parallel.virtualThreads(16), name -> false,
                        name -> true, ControllerMetrics.NONE));
        manager = new ControllerManager(context,
                List.of(new ControllerDescriptor("slow", java.util.Set.of(), Slow::new)),
                new ManagerGuard(ManagerGuard.Mode.TAKEOVER, cluster.client(), Clock.system()), Leadership.ALONE,
                Standby.COLD, runner);
        manager.step();
        eventually("every worker is at work", Duration.ofMinutes(2), () -> begun.get() == 5);
    }

    @AfterEach
    void stop() {
        mayEnd.countDown();
        runner.close();
        cluster.close();
    }

    @Test
    void waitsForTheSyncsThatAreUnderWayAndBeginsNoOther() throws InterruptedException {
        manager.close();
        assertThat(manager.drain(Duration.ofMillis(20))).as("they take longer").containsExactly("slow");
        mayEnd.countDown();
        assertThat(manager.drain(Duration.ofMinutes(2))).isEmpty();
        runner.close();
        assertThat(begun).hasValue(5);
        assertThat(ended).hasValue(5);
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void interruptsThoseThatOutlastTheTimeTheyAreGiven() throws InterruptedException {
        manager.close();
        assertThat(manager.drain(Duration.ZERO)).containsExactly("slow");
        runner.close();
        assertThat(interrupted).hasValue(5);
        assertThat(ended).hasValue(0);
    }
}
