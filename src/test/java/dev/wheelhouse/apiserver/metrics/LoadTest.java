package dev.wheelhouse.apiserver.metrics;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.api.LabelSelector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

@DisplayName("The load that an annotation says")
class LoadTest {
    private static final BigDecimal REQUEST = new BigDecimal("0.5");

    @ParameterizedTest(name = "{0} after {1}s: {2}m")
    @CsvSource(delimiter = '|', value = {
            "250m | 0 | 250",
            "2 | 100 | 2000",
            "80% | 0 | 400",
            "150% | 0 | 750",
            "sine(100m, 900m, 10m) | 0 | 100",
            "sine(100m, 900m, 10m) | 150 | 500",
            "sine(100m, 900m, 10m) | 300 | 900",
            "sine(100m, 900m, 10m) | 600 | 100",
            "sine(20%, 60%, 1m) | 30 | 300",
            "steps(100m, 5m: 900m, 20m: 50%) | 0 | 100",
            "steps(100m, 5m: 900m, 20m: 50%) | 299 | 100",
            "steps(100m, 5m: 900m, 20m: 50%) | 300 | 900",
            "steps(100m, 5m: 900m, 20m: 50%) | 9999 | 250",
            "shared 2 | 0 | 500",
            "shared steps(1, 1m: 8) | 60 | 2000",
    })
    void hasAValueAtEachAge(String text, long seconds, long expected) {
        assertThat(Load.parse(text).milli(Duration.ofSeconds(seconds), REQUEST, 4)).isCloseTo(expected, within(1L));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "much", "sine(1, 2)", "sine(1, 2, soon)", "sine(1, 2, 0s)", "sine(1, 50%, 1m)", "steps()",
                    "steps(1m: 5)", "steps(5, 6)", "steps(5, 1m: much)", "shared", "cosine(1, 2, 1m)"})
    void isNotThereIfItCannotBeParsed(String text) {
        assertThat(Load.parse(text)).isNull();
    }

    @Test
    void isNotThereIfItIsAPartOfARequestThatIsMissing() {
        assertThat(Load.parse("80%").milli(Duration.ZERO, null, 1)).isNull();
    }

    @Test
    void mayHaveSeveralValuesWithLabels() {
        String text = "queue=mail 30; queue=orders,zone=a steps(5, 1m: 50);queue=none what";
        assertThat(Series.of(text, LabelSelector.everything())).extracting(Series::labels)
                .isEqualTo(List.of(Map.of("queue", "mail"), Map.of("queue", "orders", "zone", "a")));
        assertThat(Series.of(text, LabelSelector.parse("zone=a"))).hasSize(1);
        assertThat(Series.of("30", LabelSelector.everything())).hasSize(1);
        assertThat(Series.of("shared 30", LabelSelector.everything())).hasSize(1);
    }
}
