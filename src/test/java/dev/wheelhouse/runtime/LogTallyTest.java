package dev.wheelhouse.runtime;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.Logged;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated
class LogTallyTest {
    private static final String NAME = "tally.of.the.test";

    private final ManualClock clock = new ManualClock();
    private final Logged logged = Logged.by(NAME);
    private final LogTally tally = new LogTally(LoggerFactory.getLogger(NAME), clock);

    @AfterEach
    void close() {
        logged.close();
    }

    @Test
    void aSingleEventIsLoggedAtOnceAndABurstInOneLineASecond() {
        tally.add("bound a");
        assertThat(logged.lines()).containsExactly("INFO bound a");
        assertThat(tally.step()).isEqualTo(Loop.IDLE);

        tally.add("bound b");
        tally.add("bound c");
        clock.advance(Duration.ofMillis(400));
        assertThat(tally.step()).isEqualTo(Duration.ofMillis(600).toNanos());
        tally.add("bound d");
        assertThat(logged.lines()).hasSize(1);
        clock.advance(Duration.ofMillis(600));
        assertThat(tally.step()).isEqualTo(Loop.IDLE);
        assertThat(logged.lines()).endsWith("INFO bound d, and 2 more before it").hasSize(2);

        clock.advance(Duration.ofSeconds(1));
        tally.add("bound e");
        assertThat(logged.lines()).endsWith("INFO bound e").hasSize(3);
    }

    @Test
    void theEndLogsTheEventsThatAreLeft() {
        tally.add("bound a");
        tally.add("bound b");
        tally.close();
        assertThat(logged.lines()).containsExactly("INFO bound a", "INFO bound b");
        assertThat(tally.step()).isEqualTo(Loop.IDLE);
    }
}
