package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(900)
class PreparationTest {
    private static final class OfNothing extends KeyedController<ObjectKey> {
        OfNothing(String name, ControllerContext context) {
            super(name, context);
        }

        @Override
        protected Result sync(ObjectKey key, SyncRun run) {
            return Result.done();
        }
    }

    private final Cluster cluster = new Cluster();
    private final LoopRunner runner = new LoopRunner("prepared", cluster.clock);
    private final CountDownLatch answers = new CountDownLatch(1);

    @AfterEach
    void stop() {
        answers.countDown();
        runner.close();
        cluster.close();
    }

    private ControllerManager manager(Preparation preparation) {
        return new ControllerManager(cluster.context(),
                List.of(new ControllerDescriptor("prepared", Set.of(), "", Set.of(), preparation, true,
                        context -> new OfNothing("prepared", context)),
                        new ControllerDescriptor("other", Set.of(), context -> new OfNothing("other", context))),
                new ManagerGuard(ManagerGuard.Mode.TAKEOVER, cluster.client(), cluster.clock), Leadership.ALONE,
                Standby.COLD, runner);
    }

    /** Steps the manager whenever the preparation's thread has woken it, and lets time pass. */
    private void stepUntil(ControllerManager manager, String... names) throws InterruptedException {
        while (!manager.controllers().stream().map(Controller::name).toList().equals(List.of(names))) {
            cluster.clock.advance(Duration.ofMinutes(1));
            manager.await(Duration.ofSeconds(1).toNanos());
            manager.step();
        }
    }

    @Test
    void aPreparationThatBlocksDelaysNoOtherController() throws InterruptedException {
        ControllerManager manager = manager(context -> {
            try {
                answers.await();
                return "";
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        manager.step();

        assertThat(manager.controllers()).extracting(Controller::name).containsExactly("other");
        assertThat(manager.isRunning()).isFalse();

        answers.countDown();
        stepUntil(manager, "prepared", "other");
        assertThat(manager.isRunning()).isTrue();
    }

    @Test
    void aPreparationThatFailsIsNamedAndTriedAgain() throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        ControllerManager manager = manager(context -> {
            if (attempts.getAndIncrement() < 2) {
                throw new IllegalStateException("prepared may not install its definition");
            }
            return "";
        });
        manager.step();
        while (manager.waitingFor().equals(List.of("prepared has not been made yet"))) {
            manager.await(Duration.ofSeconds(10).toNanos());
            manager.step();
        }

        assertThat(manager.waitingFor()).containsExactly("prepared may not install its definition");
        stepUntil(manager, "prepared", "other");
    }

    @Test
    void readinessDoesNotWaitForWhatAPreparationWaitsFor() throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        ControllerManager manager = manager(
                context -> attempts.getAndIncrement() == 0 ? "prepared waits for its definition" : "");
        while (!manager.isRunning()) {
            manager.step();
            manager.await(Duration.ofMillis(10).toNanos());
        }

        assertThat(manager.states()).anyMatch(state -> state.doing().equals("prepared waits for its definition"));
        stepUntil(manager, "prepared", "other");
    }
}
