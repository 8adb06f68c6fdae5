package dev.wheelhouse.apiserver.work;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DeadlineTest {
    private final ManualClock clock = new ManualClock();

    @Test
    void aLoopEndsWhenItsRequestIsOverdue() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(60), clock);
        int[] turns = new int[1];
        assertThatThrownBy(() -> deadline.call(() -> {
            while (true) {
                Deadline.check();
                turns[0]++;
                clock.advance(Duration.ofSeconds(1));
            }
        })).isInstanceOf(OverdueException.class);
        assertThat(turns[0]).isBetween(60, 130);
    }

    @Test
    void aLoopEndsAtItsNextTurnWhenNobodyWaitsForIt() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(60), clock);
        assertThatThrownBy(() -> deadline.call(() -> {
            Deadline.check();
            deadline.giveUp();
            Deadline.check();
            return null;
        })).isInstanceOf(OverdueException.class);
    }

    @Test
    void theLastLookBeforeACommitReadsTheClock() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(60), clock);
        assertThatThrownBy(() -> deadline.call(() -> {
            Deadline.checkNow();
            clock.advance(Duration.ofSeconds(61));
            Deadline.checkNow();
            return null;
        })).isInstanceOf(OverdueException.class);
    }

    @Test
    void workOutsideARequestHasNoDeadline() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(60), clock);
        deadline.call(() -> "done");
        deadline.giveUp();
        Deadline.check();
        Deadline.checkNow();
        assertThat(deadline.remaining()).isPositive();
    }
}
