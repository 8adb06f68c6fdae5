package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SlowStartBatchTest {
    private static final class Recording implements Parallel {
        final List<Integer> batches = new ArrayList<>();

        @Override
        public <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call) {
            batches.add(items.size());
            return Parallel.inOrder().map(items, call);
        }
    }

    @Test
    void batchesDoubleAsLongAsAllSucceeds() {
        Recording parallel = new Recording();
        List<Integer> items = IntStream.range(0, 20).boxed().toList();
        assertThat(SlowStartBatch.run(items, parallel, i -> i * 2, i -> false)).hasSize(20).startsWith(0, 2, 4);
        assertThat(parallel.batches).containsExactly(1, 2, 4, 8, 5);
    }

    @ParameterizedTest(name = "of 20, with number {0} failing, {1} are tried")
    @CsvSource({"0, 1", "1, 3", "2, 3", "3, 7", "6, 7", "7, 15", "19, 20"})
    void aFailureSkipsTheBatchesThatFollow(int failing, int tried) {
        List<Integer> items = IntStream.range(0, 20).boxed().toList();
        assertThat(SlowStartBatch.run(items, Parallel.inOrder(), i -> i, i -> i == failing)).hasSize(tried);
    }

    @Test
    void nothingToDoIsNoBatch() {
        Recording parallel = new Recording();
        assertThat(SlowStartBatch.run(List.of(), parallel, i -> i, i -> false)).isEmpty();
        assertThat(parallel.batches).isEmpty();
    }

    @Test
    @Timeout(900)
    void virtualThreadsMakeCallsAtOnceAndAnswerInOrder() {
        CountDownLatch together = new CountDownLatch(4);
        List<Integer> answers = Parallel.virtualThreads(4).map(List.of(1, 2, 3, 4, 5, 6), i -> {
            together.countDown();
            try {
                assertThat(together.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return i * 10;
        });
        assertThat(answers).containsExactly(10, 20, 30, 40, 50, 60);
    }

    @Test
    @Timeout(900)
    void anInterruptReachesTheCallsUnderWayAndStaysSet() {
        Thread.currentThread().interrupt();
        List<Boolean> interrupted = Parallel.virtualThreads(2).map(List.of(1, 2), i -> {
            try {
                new CountDownLatch(1).await(2, TimeUnit.MINUTES);
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        assertThat(interrupted).containsExactly(true, true);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatACallThrowsIsThrownAfterAllHaveEnded() {
        assertThatThrownBy(() -> Parallel.virtualThreads(2).map(List.of(1, 2, 3), i -> {
            if (i == 2) {
                throw new IllegalArgumentException("two");
            }
            return i;
        })).hasMessage("two");
    }
}
