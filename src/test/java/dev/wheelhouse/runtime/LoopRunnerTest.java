package dev.wheelhouse.runtime;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(900)
class LoopRunnerTest {
    /** Counts its steps; idle unless a subclass says otherwise. */
    private static class Counting implements Loop {
        final AtomicInteger steps = new AtomicInteger();
        final AtomicBoolean closed = new AtomicBoolean();
        final Signal signal = new Signal();

        @Override
        public long step() {
            steps.incrementAndGet();
            return IDLE;
        }

        @Override
        public void await(long nanos) throws InterruptedException {
            signal.await(nanos);
        }

        @Override
        public void close() {
            closed.set(true);
            signal.raise();
        }
    }

    @Test
    void aLoopIsSteppedAgainWhenItIsWoken() throws Exception {
        CountDownLatch second = new CountDownLatch(2);
        Counting loop = new Counting() {
            @Override
            public long step() {
                second.countDown();
                return super.step();
            }
        };
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.start("counting", loop);
            loop.signal.raise();
            assertThat(second.await(2, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aStepThatFailsBecauseItsLoopWasClosedMeanwhileIsNoFailure() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicInteger steps = new AtomicInteger();
        SignalledLoop loop = new SignalledLoop() {
            @Override
            public long step() throws InterruptedException {
                steps.incrementAndGet();
                begun.countDown();
                closed.await();
                throw new IllegalStateException("the factory was closed");
            }
        };
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.start("closing", loop);
            begun.await();
            loop.close();
            closed.countDown();
            assertThat(runner.close(Duration.ofMinutes(2))).isEmpty();
            assertThat(runner.failures()).isZero();
            assertThat(steps).hasValue(1);
        }
    }

    @Test
    void aLoopThatThrowsIsSteppedAgain() throws Exception {
        CountDownLatch recovered = new CountDownLatch(1);
        Counting loop = new Counting() {
            @Override
            public long step() {
                if (steps.incrementAndGet() == 1) {
                    throw new IllegalStateException("first step fails");
                }
                recovered.countDown();
                return IDLE;
            }
        };
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.startOnPlatformThread("failing", loop);
            assertThat(recovered.await(2, TimeUnit.MINUTES)).isTrue();
            assertThat(runner.failures()).isEqualTo(1);
        }
    }

    @Test
    void aStepThatInterruptsItsOwnThreadOrThrowsACheckedExceptionDoesNotEndItsLoop() throws Exception {
        CountDownLatch recovered = new CountDownLatch(1);
        Counting loop = new Counting() {
            @Override
            public long step() {
                switch (steps.incrementAndGet()) {
                    case 1 -> Thread.currentThread().interrupt();
                    case 2 -> throw LoopRunnerTest.<RuntimeException>sneak(new IOException("as code in Kotlin does"));
                    default -> recovered.countDown();
                }
                return steps.get() < 3 ? BUSY : IDLE;
            }
        };
        try (LoopRunner runner = new LoopRunner("test", Clock.system())) {
            runner.startOnPlatformThread("hostile", loop);
            assertThat(recovered.await(2, TimeUnit.MINUTES)).isTrue();
            assertThat(runner.failures()).isEqualTo(1);
            assertThat(loop.closed).isFalse();
        }
        assertThat(loop.closed).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E sneak(Exception e) throws E {
        throw (E) e;
    }

    @Test
    void closingEndsEveryLoopAndItsThread() {
        LoopRunner runner = new LoopRunner("test", Clock.system());
        Counting virtual = new Counting();
        Counting platform = new Counting();
        runner.start("virtual", virtual);
        runner.startOnPlatformThread("platform", platform);

        assertThat(runner.close(Duration.ofMinutes(2))).isEmpty();
        assertThat(virtual.closed).isTrue();
        assertThat(platform.closed).isTrue();
        assertThatThrownBy(() -> runner.start("late", new Counting())).hasMessageContaining("was closed");
    }

    @Test
    void aLoopWhoseStepDoesNotEndIsNamedWithItsStack() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ManualClock clock = new ManualClock();
        try (LoopRunner runner = new LoopRunner("test", clock)) {
            runner.start("waiting", new Counting());
            runner.start("standing", new Counting() {
                @Override
                public long step() {
                    stuck.countDown();
                    uninterruptibly(release);
                    return super.step();
                }
            });
            stuck.await();
            clock.advance(Duration.ofSeconds(59));
            assertThat(runner.standing(Duration.ofMinutes(1))).isEmpty();
            clock.advance(Duration.ofSeconds(1));
            assertThat(runner.standing(Duration.ofMinutes(1))).singleElement().satisfies(loop -> {
                assertThat(loop.loop()).isEqualTo("test/standing");
                assertThat(loop.age()).isEqualTo(Duration.ofMinutes(1));
                assertThat(loop.stack())
                        .anyMatch(frame -> frame.getClassName().startsWith(LoopRunnerTest.class.getName()));
            });
            release.countDown();
            eventually("it goes on", Duration.ofMinutes(2), () -> runner.standing(Duration.ofMinutes(1)).isEmpty());
        }
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aThreadThatDoesNotEndInTimeIsNamed() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        LoopRunner runner = new LoopRunner("test", Clock.system());
        runner.startOnPlatformThread("stubborn", new Counting() {
            @Override
            public long step() {
                stuck.countDown();
                while (release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        // Ignores the interrupt.
                    }
                }
                return IDLE;
            }
        });
        stuck.await();

        assertThat(runner.close(Duration.ofMillis(50))).containsExactly("test/stubborn");
        release.countDown();
        assertThat(runner.close(Duration.ofMinutes(2))).isEmpty();
    }

    @Test
    void aTaskThatBlocksIsInterruptedAndJoinedByTheCloseAndNoneRunsAfterIt() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        LoopRunner runner = new LoopRunner("test", Clock.system());
        runner.run("task", () -> {
            blocked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        blocked.await();

        assertThat(runner.close(Duration.ofMinutes(2))).isEmpty();
        assertThat(interrupted.getCount()).isZero();
        runner.run("late", () -> {
            throw new AssertionError("it runs");
        });
        assertThat(runner.failures()).isZero();
    }

    /** Records the kind of thread that each step runs on. */
    private static final class Sleeper extends SignalledLoop {
        final List<Boolean> onVirtualThreads = new CopyOnWriteArrayList<>();
        final List<Thread> waiting = new CopyOnWriteArrayList<>();

        @Override
        public long step() {
            onVirtualThreads.add(Thread.currentThread().isVirtual());
            waiting.add(Thread.currentThread());
            return IDLE;
        }
    }

    @Test
    void aLoopThatWaitsLongGivesItsPlatformThreadBackAndIsSteppedOnANewOne() {
        try (LoopRunner runner = new LoopRunner("resting", Clock.system(), Duration.ofMillis(10))) {
            Sleeper sleeper = new Sleeper();
            runner.startOnPlatformThread("sleeper", sleeper);
            for (int step = 1; step <= 3; step++) {
                // The second step of each turn finds nothing, and the loop rests.
                int steps = 2 * step;
                eventually("it has stepped and its platform thread has ended", Duration.ofMinutes(2),
                        () -> sleeper.waiting.size() == steps && !sleeper.waiting.getLast().isAlive());
                sleeper.wake();
            }
            eventually("it has stepped again", Duration.ofMinutes(2), () -> sleeper.waiting.size() >= 7);
            assertThat(sleeper.onVirtualThreads).containsOnly(false);
            assertThat(runner.close(Duration.ofMinutes(2))).as("the threads that are left").isEmpty();
            assertThat(sleeper.isClosed()).isTrue();
        }
    }

    @Test
    void aLoopThatRestsIsClosedByAStopOfItAlone() {
        try (LoopRunner runner = new LoopRunner("resting", Clock.system(), Duration.ofMillis(1))) {
            Sleeper sleeper = new Sleeper();
            runner.startOnPlatformThread("sleeper", sleeper);
            eventually("it rests", Duration.ofMinutes(2),
                    () -> sleeper.waiting.size() == 2 && !sleeper.waiting.getFirst().isAlive());

            runner.stop(sleeper);
            assertThat(runner.close(Duration.ofMinutes(2))).isEmpty();
            assertThat(sleeper.waiting).as("no further step but one that did nothing").hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void workThatArrivesAtTheEndOfTheLongestWaitIsDoneBeforeTheLoopRests() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Loop late = new Loop() {
            private boolean work;

            @Override
            public long step() {
                if (work) {
                    done.countDown();
                }
                return IDLE;
            }

            @Override
            public void await(long nanos) throws InterruptedException {
                work = !closed.await(nanos, TimeUnit.NANOSECONDS);
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
        try (LoopRunner runner = new LoopRunner("late", Clock.system(), Duration.ofMillis(10))) {
            runner.startOnPlatformThread("late", late);
            assertThat(done.await(2, TimeUnit.MINUTES)).isTrue();
        }
    }
}
