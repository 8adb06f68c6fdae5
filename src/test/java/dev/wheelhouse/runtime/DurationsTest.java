package dev.wheelhouse.runtime;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", value = {"20s|PT20S", "1h2m3.5s|PT1H2M3.5S", "500ms|PT0.5S",
            "0|PT0S", "0s|PT0S", "1m30s|PT1M30S", ".5s|PT0.5S", "1.5us|PT0.0000015S", "20|none", "s|none", "-1s|none",
            "1s x|none", "'1m '|none", "''|none", "invalid|none", "999999999h|none"})
    void durationsAreReadAsGoWritesThem(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @Test
    void aSumOutsideTheTimesThatThereAreIsTheLastOrFirstOfThem() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(Durations.after(now, 60)).isEqualTo(now.plusSeconds(60));
        assertThat(Durations.after(now, -60)).isEqualTo(now.minusSeconds(60));
        assertThat(Durations.before(now, Duration.ofSeconds(60))).isEqualTo(now.minusSeconds(60));
        assertThat(Durations.before(now, Duration.ofSeconds(-60))).isEqualTo(now.plusSeconds(60));
        for (Instant time : new Instant[]{now, Instant.MIN, Instant.MAX, Instant.EPOCH}) {
            assertThat(Durations.after(time, Long.MAX_VALUE)).isEqualTo(Instant.MAX);
            assertThat(Durations.after(time, Long.MIN_VALUE)).isEqualTo(Instant.MIN);
            assertThat(Durations.before(time, Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Instant.MIN);
            assertThat(Durations.before(time, Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Instant.MAX);
            assertThat(Durations.after(time, 0)).isEqualTo(time);
        }
    }

    @Test
    void nanosecondsOfADurationOfAnyLengthAreTheNearestLong() {
        assertThat(Durations.saturatedNanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(Durations.saturatedNanos(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
        assertThat(Durations.saturatedNanos(Duration.between(Instant.MAX, Instant.MIN))).isEqualTo(Long.MIN_VALUE);
        assertThat(Durations.saturatedNanos(Duration.ofNanos(-5))).isEqualTo(-5);
    }
}
