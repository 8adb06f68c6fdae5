package dev.wheelhouse.runtime;

import java.time.Duration;

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
}
