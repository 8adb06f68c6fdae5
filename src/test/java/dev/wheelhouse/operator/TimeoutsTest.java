package dev.wheelhouse.operator;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class TimeoutsTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final ManualClock clock = new ManualClock();
    private final Timeouts timeouts = new Timeouts(LIMIT, clock);

    @Test
    @Timeout(900)
    void aCallThatIgnoresItsInterruptTakesTheTimeoutFromNoOtherCall() throws InterruptedException {
        Timeouts.Running stubborn = timeouts.begin();
        timeouts.await(Long.MAX_VALUE);
        assertThat(timeouts.step()).isEqualTo(LIMIT.toNanos());
        clock.advance(LIMIT);
        timeouts.step();
        assertThat(Thread.interrupted()).isTrue();

        Timeouts.Running other = timeouts.begin();
        timeouts.await(Long.MAX_VALUE); // returns only if the call woke the loop
        assertThat(timeouts.step()).isEqualTo(LIMIT.toNanos());
        clock.advance(LIMIT);
        timeouts.step();

        assertThat(other.end()).isTrue();
        assertThat(stubborn.end()).isTrue();
    }

    @Test
    void aCallThatEndsInTimeIsNotInterrupted() throws InterruptedException {
        Timeouts.Running quick = timeouts.begin();
        assertThat(quick.end()).isFalse();
        clock.advance(LIMIT);
        timeouts.step();
        assertThat(Thread.interrupted()).isFalse();
    }
}
