package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BackoffTest {
    private final ManualClock clock = new ManualClock();

    private Backoff backoff(double jitter) {
        return new Backoff(Duration.ofMillis(800), Duration.ofSeconds(30), 2, jitter, Duration.ofMinutes(2), clock,
                new SplittableRandom(1));
    }

    @Test
    void delaysDoubleUpToTheLongest() {
        Backoff backoff = backoff(0);

        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(800));
        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(1600));
        for (int i = 0; i < 10; i++) {
            backoff.next();
        }
        assertThat(backoff.next()).isEqualTo(Duration.ofSeconds(30));
        assertThat(backoff.failures()).isEqualTo(13);
    }

    @Test
    void jitterOnlyAdds() {
        Backoff backoff = backoff(1);
        for (int i = 0; i < 20; i++) {
            Duration delay = backoff.next();
            assertThat(delay).isBetween(Duration.ofMillis(800), Duration.ofSeconds(60));
        }
    }

    @Test
    void aQuietTimeForgetsTheFailures() {
        Backoff backoff = backoff(0);
        backoff.next();
        backoff.next();
        clock.advance(Duration.ofSeconds(121));

        assertThat(backoff.next()).isEqualTo(Duration.ofMillis(800));
        assertThat(backoff.failures()).isEqualTo(1);
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(1), 2, 0, Duration.ZERO, clock,
                new SplittableRandom())).hasMessageContaining("initial <= max");
    }
}
