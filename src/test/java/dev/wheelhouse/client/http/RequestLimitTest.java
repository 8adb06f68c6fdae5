package dev.wheelhouse.client.http;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class RequestLimitTest {
    private final ManualClock clock = new ManualClock();

    private long[] millis(RequestLimit limit, int requests) {
        return LongStream.range(0, requests).map(i -> Duration.ofNanos(limit.reserve()).toMillis()).toArray();
    }

    @Test
    void afterTheBurstEachRequestWaitsForItsTurn() {
        RequestLimit limit = new RequestLimit(20, 3, clock);
        assertThat(millis(limit, 6)).containsExactly(0, 0, 0, 50, 100, 150);
        clock.advance(Duration.ofMillis(200));
        assertThat(millis(limit, 2)).containsExactly(0, 50);
        clock.advance(Duration.ofMinutes(1));
        assertThat(millis(limit, 4)).containsExactly(0, 0, 0, 50);
    }

    @Test
    void aBurstOfZeroIsTheDefaultOfClientGoAndALargeOneHasNoEnd() {
        assertThat(millis(new RequestLimit(20, 0, clock), 12)).endsWith(0, 50, 100).containsOnlyOnce(50);
        assertThat(millis(new RequestLimit(0.001, Integer.MAX_VALUE, clock), 2000)).containsOnly(0);
    }

    @Test
    void withoutARateNothingWaits() throws InterruptedException {
        RequestLimit limit = new RequestLimit(0, 30, clock);
        for (int i = 0; i < 100; i++) {
            limit.await();
        }
        assertThat(limit.reserve()).isZero();
    }
}
