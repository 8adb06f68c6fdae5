package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Isolated
class WorkTest {
    private static final ApiResponse.Content DONE = new ApiResponse.Content(200, "text/plain", new byte[0], List.of(),
            null);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private final LogBudget failures = new LogBudget(Clock.system());

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private int code(java.util.function.Supplier<ApiResponse> request, Duration time) {
        ApiResponse answer = new Work(request, Deadline.in(time, Clock.system()), over::countDown, failures)
                .answeredBy(threads);
        return ((ApiResponse.Content) answer).code();
    }

    @Test
    void workIsDoneByAPlatformThread() {
        assertThat(code(() -> Thread.currentThread().isVirtual() ? Refusals.status(500, "") : DONE,
                Duration.ofMinutes(1))).isEqualTo(200);
    }

    @Test
    void overdueWorkIsAnsweredBy504AndEndsAtItsNextCheck() throws Exception {
        assertThat(code(() -> {
            while (true) {
                Deadline.check();
            }
        }, Duration.ofMillis(1))).isEqualTo(504);
        assertThat(over.await(2, TimeUnit.MINUTES)).as("the work has ended").isTrue();
    }

    @Test
    void theSeatOfWorkThatDoesNotEndIsKeptUntilItDoes() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        assertThat(code(() -> {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return DONE;
        }, Duration.ofMillis(1))).isEqualTo(504);
        assertThat(over.getCount()).isEqualTo(1);
        stuck.countDown();
        assertThat(over.await(2, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void workThatNoThreadTakesGivesItsSeatBack() {
        for (Executor refusing : List.<Executor>of(work -> {
            throw new RejectedExecutionException("planted");
        }, work -> {
            throw new OutOfMemoryError("unable to create native thread");
        })) {
            CountDownLatch left = new CountDownLatch(1);
            Work work = new Work(() -> DONE, Deadline.in(Duration.ofMinutes(1), Clock.system()), left::countDown,
                    failures);
            assertThatThrownBy(() -> work.answeredBy(refusing)).isInstanceOf(RejectedExecutionException.class);
            assertThat(left.getCount()).isZero();
        }
    }

    @Test
    void failuresOfOneKindAreLoggedOnce() {
        try (Logged log = Logged.by(Work.class.getName())) {
            for (int i = 0; i < 100; i++) {
                assertThat(code(() -> {
                    throw new LinkageError("planted");
                }, Duration.ofMinutes(1))).isEqualTo(500);
            }
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void anErrorOfTheWorkIsAnAnswer() {
        assertThat(code(() -> {
            throw new OutOfMemoryError("planted");
        }, Duration.ofMinutes(1))).isEqualTo(500);
        assertThat(over.getCount()).isZero();
    }
}
