package dev.wheelhouse.api;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryAfterTest {
    private static final String DATE = "Thu, 01 Jan 2026 00:00:00 GMT";

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            7                                    | PT7S
            ' 7 '                                | PT7S
            60                                   | PT30S
            86400                                | PT30S
            9223372036854775807                  | PT30S
            99999999999999999999999999999999999  | PT30S
            0                                    | none
            -1                                   | none
            -9223372036854775808                 | none
            +7                                   | none
            1.5                                  | none
            0x7                                  | none
            ٧                                    | none
            ''                                   | none
            soon                                 | none
            Thu, 01 Jan 2026 00:00:09 GMT        | PT9S
            Fri, 02 Jan 2026 00:00:00 GMT        | PT30S
            Fri, 31 Dec 9999 00:00:00 GMT        | PT30S
            Wed, 31 Dec 2025 00:00:00 GMT        | none
            Thu, 32 Jan 2026 00:00:00 GMT        | none
            """)
    void aHeaderAsksForHalfAMinuteAtMost(String header, Duration wait) {
        assertThat(RetryAfter.of(List.of(header), DATE)).isEqualTo(wait);
    }

    @Test
    void ofSeveralHeadersTheLongestUsableCounts() {
        assertThat(RetryAfter.of(List.of("nonsense", "3", "5", "-9"), DATE)).isEqualTo(Duration.ofSeconds(5));
        assertThat(RetryAfter.of(List.of(), DATE)).isNull();
    }

    @Test
    void aDateMeansNothingWithoutTheServersOwn() {
        assertThat(RetryAfter.of(List.of("Thu, 01 Jan 2026 00:00:09 GMT"), null)).isNull();
        assertThat(RetryAfter.of(List.of("Thu, 01 Jan 2026 00:00:09 GMT"), "yesterday")).isNull();
    }

    @Test
    void noErrorKeepsALongerWaitWhoeverMadeIt() {
        assertThat(error(Duration.ofDays(1)).retryAfter()).isEqualTo(RetryAfter.LONGEST);
        assertThat(error(Duration.ofSeconds(Long.MAX_VALUE)).retryAfter()).isEqualTo(RetryAfter.LONGEST);
        assertThat(error(Duration.ofSeconds(-5)).retryAfter()).isNull();
        assertThat(error(Duration.ofSeconds(5)).retryAfter()).isEqualTo(Duration.ofSeconds(5));
    }

    private static KubeApiException error(Duration asked) {
        return new KubeApiException("list pods", 429, "TooManyRequests", "later", asked);
    }
}
