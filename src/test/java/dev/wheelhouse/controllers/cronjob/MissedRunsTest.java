package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.facts.CronSchedule;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The runs that are due since the last one")
class MissedRunsTest {
    private static final Instant CREATED = Instant.parse("2024-05-01T08:00:00Z");

    private static V1CronJob cronJob() {
        return new V1CronJob().metadata(new V1ObjectMeta().name("hello")
                .creationTimestamp(CREATED.atOffset(ZoneOffset.UTC)));
    }

    private static CronSchedule schedule(String text) {
        return CronSchedule.parse(text, ZoneOffset.UTC);
    }

    @ParameterizedTest(name = "{0}, last at {1}, deadline {3} s, at {2}")
    @CsvSource(nullValues = "-", textBlock = """
            0 * * * *,          -,                    2024-05-01T08:59:59Z, -,  -,                    0, PT1.1S
            0 * * * *,          -,                    2024-05-01T09:00:00Z, -,  2024-05-01T09:00:00Z, 0, PT1H0.1S
            0 * * * *,          2024-05-01T09:00:00Z, 2024-05-01T09:30:00Z, -,  -,                    0, PT30M0.1S
            0 * * * *,          -,                    2024-05-01T11:10:00Z, -,  2024-05-01T11:00:00Z, 3, PT50M0.1S
            0 * * * *,          -,                    2024-05-05T12:00:00Z, -,  2024-05-05T12:00:00Z, 100, PT1H0.1S
            0 * * * *,          -,                    2024-05-05T13:00:00Z, -,  2024-05-05T13:00:00Z, 101, PT1H0.1S
            0 * * * *,          -,                    2024-05-05T13:10:00Z, 60, -,                    0, PT50M0.1S
            0 * * * *,          -,                    2024-05-05T13:00:30Z, 60, 2024-05-05T13:00:00Z, 0, PT59M30.1S
            @every 7m,          -,                    2024-05-01T08:22:00Z, -,  2024-05-01T08:21:00Z, 3, PT6M0.1S
            30 6-16/4 * * 1-5,  -,                    2024-05-06T10:31:00Z, -,  2024-05-06T10:30:00Z, 31, PT3H59M0.1S
            '0,1 0 1 * *',      -,                    2024-06-01T00:05:00Z, -,  -,                    6, PT719H55M0.1S
            """)
    void areCountedByTheFirstInterval(String schedule, Instant last, Instant now, Long deadline, Instant latest,
            long count, Duration untilNext) {
        MissedRuns runs = MissedRuns.of(cronJob(), last == null ? null : last.atOffset(ZoneOffset.UTC),
                schedule(schedule), now, deadline == null ? null : Duration.ofSeconds(deadline));

        assertThat(runs.latest()).isEqualTo(latest);
        assertThat(runs.count()).isEqualTo(count);
        assertThat(runs.broken()).isFalse();
        assertThat(MissedRuns.untilNext(cronJob(), last == null ? null : last.atOffset(ZoneOffset.UTC),
                schedule(schedule), now)).isEqualTo(untilNext);
    }

    @Test
    void moreThan100AreTooMany() {
        assertThat(MissedRuns.of(cronJob(), null, schedule("0 * * * *"), CREATED.plus(Duration.ofHours(100)), null)
                .isTooMany()).isFalse();
        assertThat(MissedRuns.of(cronJob(), null, schedule("0 * * * *"), CREATED.plus(Duration.ofHours(101)), null)
                .isTooMany()).isTrue();
    }

    @Test
    void a31stOfFebruaryIsABrokenSchedule() {
        assertThat(MissedRuns.of(cronJob(), null, schedule("59 23 31 2 *"), CREATED.plusSeconds(1), null).broken())
                .isTrue();
        assertThat(MissedRuns.untilNext(cronJob(), null, schedule("59 23 31 2 *"), CREATED.plusSeconds(1))).isNull();
    }
}
