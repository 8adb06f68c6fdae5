package dev.wheelhouse.runtime;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LogBudgetTest {
    private final ManualClock clock = new ManualClock();
    private final LogBudget budget = new LogBudget(clock);

    @Test
    void theSameTextIsSaidOnceInFiveMinutesWithHowManyWereLeftOut() {
        assertThat(budget.line("away")).isEqualTo("away");
        for (int i = 0; i < 29; i++) {
            clock.advance(Duration.ofSeconds(10));
            assertThat(budget.line("away")).isNull();
        }
        clock.advance(Duration.ofSeconds(10));
        assertThat(budget.line("away")).isEqualTo("away (29 lines before were left out)");
        assertThat(budget.line("back")).isEqualTo("back");
    }

    @Test
    void ofDifferentTextsSixAMinuteAreSaid() {
        int said = 0;
        for (int i = 0; i < 600; i++) {
            said += budget.line("failure " + i) == null ? 0 : 1;
            clock.advance(Duration.ofMillis(200));
        }
        assertThat(said).isEqualTo(12);
    }
}
