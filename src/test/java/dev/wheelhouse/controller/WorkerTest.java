package dev.wheelhouse.controller;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.workqueue.RateLimitingQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Isolated
class WorkerTest {
    private final ManualClock clock = new ManualClock();
    private final RateLimitingQueue<String> queue = new RateLimitingQueue<>("test", clock, Meters.NONE);
    private final OutageBackoff<String> outage = new OutageBackoff<>(queue, clock);
    private final List<String> results = new ArrayList<>();
    private final List<String> synced = new ArrayList<>();
    private final ControllerMetrics metrics = new ControllerMetrics(Meters.NONE) {
        @Override
        public void synced(String controller, String result, long nanos) {
            results.add(result);
        }
    };

    @BeforeEach
    void addAKey() {
        queue.add("a");
    }

    private Worker<String> worker(Reconciler<String> reconciler) {
        return new Worker<>("test", queue, outage, key -> {
            synced.add(key);
            return reconciler.reconcile(key);
        }, clock, metrics);
    }

    @Test
    void aKeyThatIsDoneIsForgotten() throws Exception {
        queue.addRateLimited("a");
        Worker<String> worker = worker(key -> Result.done());
        assertThat(worker.step()).isEqualTo(Loop.BUSY);
        assertThat(results).containsExactly("done");
        assertThat(queue.numRequeues("a")).isZero();
        clock.advance(Duration.ofMillis(5));
        assertThat(worker.step()).isEqualTo(Loop.BUSY);
        assertThat(worker.step()).isEqualTo(Loop.IDLE);
    }

    @Test
    void aRefusalOfManyLinesIsCutInTheLog() throws Exception {
        String rights = "{APIGroups:[\"apps\"], Resources:[\"deployments\"]}\n".repeat(70);
        try (Logged log = Logged.by(Worker.class.getName())) {
            worker(key -> {
                throw new KubeApiException("apply x", 403, "Forbidden", rights, null);
            }).step();
            assertThat(log.lines()).singleElement().satisfies(line -> assertThat(line)
                    .startsWith("WARN test: the sync of a failed and is retried").hasSizeLessThan(1200).endsWith("…"));
        }
    }

    @Test
    void aKeyThatIsToBeRequeuedComesAfterItsDelay() throws Exception {
        Worker<String> worker = worker(key -> Result.requeueAfter(Duration.ofSeconds(3)));
        worker.step();
        assertThat(results).containsExactly("requeue_after");
        assertThat(worker.step()).isEqualTo(Duration.ofSeconds(3).toNanos());
        clock.advance(Duration.ofSeconds(3));
        assertThat(worker.step()).isEqualTo(Loop.BUSY);
        assertThat(synced).hasSize(2);
    }

    @Test
    void theDelayThatTheLastSyncAskedForCountsAndNotThatOfAnEarlierOne() throws Exception {
        List<Result> next = new ArrayList<>(List.of(Result.requeueAfter(Duration.ofHours(1)),
                Result.requeueAfter(Duration.ofHours(1)), Result.requeueAfter(Duration.ofHours(2)), Result.done(),
                Result.requeueAfter(Duration.ofHours(1)), Result.terminal("it is wrong")));
        Worker<String> worker = worker(key -> next.removeFirst());
        worker.step();
        for (long hours : new long[]{1, 2, -1, 1, -1}) {
            clock.advance(Duration.ofMinutes(30));
            queue.add("a");
            assertThat(worker.step()).isEqualTo(Loop.BUSY);
            assertThat(queue.nanosToDue("a")).isEqualTo(hours < 0 ? -1 : Duration.ofHours(hours).toNanos());
        }
        clock.advance(Duration.ofDays(1));
        worker.step();
        assertThat(synced).as("no timer is left").hasSize(6);
    }

    @Test
    void whateverASyncThrowsTheKeyIsReleasedAndTriedAgain() throws Exception {
        List<Throwable> throwables = new ArrayList<>(List.of(new IllegalStateException("bug"),
                new StackOverflowError(), new AssertionError("no")));
        Worker<String> worker = worker(key -> {
            if (throwables.isEmpty()) {
                return Result.done();
            }
            return sneaky(throwables.remove(0));
        });
        for (int i = 0; i < 4; i++) {
            assertThat(worker.step()).isEqualTo(Loop.BUSY);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(results).containsExactly("retry", "retry", "retry", "done");
        assertThat(queue.numRequeues("a")).isZero();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> Result sneaky(Throwable throwable) throws E {
        throw (E) throwable;
    }

    @Test
    @SuppressWarnings("NullAway")
    void aSyncThatReturnsNullIsTriedAgain() throws Exception {
        worker(key -> null).step();
        assertThat(results).containsExactly("retry");
        assertThat(queue.nanosToNextDue()).isEqualTo(5_000_000);
    }

    @Test
    void aServersRetryAfterDelaysTheRetry() throws Exception {
        worker(key -> {
            throw new KubeApiException("create pods a", 429, "TooManyRequests", "slow down", Duration.ofSeconds(4));
        }).step();
        assertThat(queue.nanosToNextDue()).isEqualTo(Duration.ofSeconds(4).toNanos());
    }

    @ParameterizedTest
    @CsvSource({"PT-1S, 1", "PT0S, 1", "PT0.000000001S, 0"})
    void aRequeueAfterNothingDoesNotSpinAndIsNamedOnceUnlessATimeIsAlmostReached(Duration delay, int named)
            throws Exception {
        try (Logged lines = Logged.by(Worker.class.getName())) {
            Worker<String> worker = worker(key -> Result.requeueAfter(delay));
            for (int i = 0; i < 1000; i++) {
                worker.step();
                clock.advance(Duration.ofMillis(10));
            }
            assertThat(synced).as("syncs in ten seconds").hasSizeLessThan(15);
            assertThat(results).containsOnly("requeue");
            assertThat(lines.lines()).hasSize(named).allSatisfy(line -> assertThat(line)
                    .startsWith("WARN test: the sync of a asks for another one after " + delay));
            assertThat(outage.failingKeys()).isZero();
        }
    }

    @Test
    void aWantedRequeueWaitsForTheRateLimiterAndLogsNothing() throws Exception {
        try (Logged lines = Logged.by(Worker.class.getName())) {
            Worker<String> worker = worker(key -> Result.requeue());
            worker.step();
            assertThat(worker.step()).isEqualTo(5_000_000);
            clock.advance(Duration.ofMillis(5));
            worker.step();
            assertThat(worker.step()).isEqualTo(10_000_000);
            assertThat(lines.lines()).isEmpty();
        }
    }

    @Test
    void anErrorOfAKeyHasItsStackOnceAndThenOneLineUntilAnotherErrorComes() throws Exception {
        List<String> errors = new ArrayList<>(List.of("bug", "bug", "other"));
        try (Logged lines = Logged.by(Worker.class.getName())) {
            Worker<String> worker = worker(key -> {
                throw new IllegalStateException(errors.removeFirst());
            });
            for (int i = 0; i < 3; i++) {
                worker.step();
                clock.advance(Duration.ofSeconds(1));
            }
            assertThat(lines.lines()).containsExactly(
                    "ERROR test: the sync of a failed and is retried (failure 1 in a row)",
                    "WARN test: the sync of a failed again and is retried (failure 2 in a row): "
                            + "java.lang.IllegalStateException: bug",
                    "ERROR test: the sync of a failed and is retried (failure 3 in a row)");
        }
    }

    @Test
    void aTerminalResultIsNotRetried() throws Exception {
        Worker<String> worker = worker(key -> Result.terminal("spec.selector: bad"));
        worker.step();
        assertThat(results).containsExactly("terminal");
        assertThat(worker.step()).isEqualTo(Loop.IDLE);
    }

    @Test
    void aSyncThatIsInterruptedByTheCloseEndsTheThread() {
        List<Worker<String>> workers = new ArrayList<>();
        workers.add(worker(key -> {
            workers.getFirst().close();
            throw new InterruptedException();
        }));
        assertThatThrownBy(workers.getFirst()::step).isInstanceOf(InterruptedException.class);
        assertThat(results).isEmpty();
    }

    @Test
    void aSyncThatInterruptsItselfIsRetriedAndEndsNoThread() throws Exception {
        Worker<String> worker = worker(key -> {
            throw new InterruptedException();
        });
        worker.step();
        assertThat(results).containsExactly("retry");
    }

    @Test
    void anInterruptThatASyncLeavesBehindIsCleared() throws Exception {
        Worker<String> worker = worker(key -> {
            Thread.currentThread().interrupt();
            return Result.done();
        });
        worker.step();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(results).containsExactly("done");
    }

    @Test
    void linesThatASyncLogsNameTheControllerTheKeyAndTheAttempt() throws Exception {
        List<Map<String, String>> logged = new ArrayList<>();
        Worker<String> worker = worker(key -> {
            MDC.put("uid", "1-2-3");
            Parallel.virtualThreads(2).map(List.of(1, 2), item -> MDC.getCopyOfContextMap()).forEach(logged::add);
            logged.add(MDC.getCopyOfContextMap());
            return Result.requeue();
        });
        queue.addRateLimited("a");
        stepAll(worker);
        Map<String, String> expected = Map.of("controller", "test", "key", "a", "attempt", "2", "uid", "1-2-3");
        assertThat(logged).containsExactly(expected, expected, expected);
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }

    @Test
    void aKeyThatIsPutOffKeepsItsFailures() throws Exception {
        queue.addRateLimited("b");
        List<Duration> waits = new ArrayList<>(List.of(Duration.ofMillis(7), Duration.ZERO));
        Worker<String> worker = new Worker<>("test", queue, outage, key -> waits.remove(0), key -> {
            synced.add(key);
            return Result.done();
        }, clock, metrics);
        queue.addRateLimited("a");
        worker.step();
        assertThat(results).isEmpty();
        assertThat(synced).isEmpty();
        assertThat(queue.numRequeues("a")).isEqualTo(1);
    }

    @Test
    void afterAnOutageEveryKeyComesBackAtOnceHoweverLongItHasBackedOff() throws Exception {
        boolean[] down = {true};
        queue.add("b");
        Worker<String> worker = worker(key -> down[0]
                ? Result.retry(new KubeApiException("create pods " + key, new IOException("connection refused")))
                : Result.done());
        for (int second = 0; second < 3600; second++) {
            stepAll(worker);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(queue.numRequeues("b")).as("its backoff has grown long").isGreaterThan(15);
        assertThat(synced).as("it is asked every five seconds whether the server answers").hasSizeBetween(700, 800);
        synced.clear();
        down[0] = false;

        clock.advance(OutageBackoff.PROBE);
        stepAll(worker);

        assertThat(synced).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aKeyThatAloneGetsNoAnswerKeepsToItsBackoff() throws Exception {
        Worker<String> worker = worker(key -> key.equals("a")
                ? Result.retry(new KubeApiException("create pods a", new IOException("connection reset")))
                : Result.done());
        for (int second = 0; second < 3600; second++) {
            queue.add("other-" + second);
            stepAll(worker);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(synced).filteredOn("a"::equals).hasSizeLessThan(30);
    }

    private static void stepAll(Worker<String> worker) throws InterruptedException {
        while (worker.step() == Loop.BUSY) {
            // Continue with the next key.
        }
    }

    @Test
    void aClosedWorkerDoesNothing() throws Exception {
        Worker<String> worker = worker(key -> Result.done());
        worker.close();
        assertThat(worker.step()).isEqualTo(Loop.IDLE);
        assertThat(synced).isEmpty();
        assertThatThrownBy(() -> worker.await(Long.MAX_VALUE)).as("its thread ends")
                .isInstanceOf(InterruptedException.class);
    }
}
