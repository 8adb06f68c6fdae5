package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class ExpectationsTest {
    private static final String OWNER = "uid of web";

    private final ManualClock clock = new ManualClock();
    private final Expectations expectations = new Expectations(clock);

    @Test
    void anOwnerWithoutExpectationsMayAct() {
        assertThat(expectations.areMet(OWNER)).isTrue();
        expectations.creationObserved(OWNER);
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void creationsAreMetWhenAsManyWereSeen() {
        expectations.expectCreations(OWNER, 3);
        expectations.creationObserved(OWNER);
        expectations.creationsObserved(OWNER, 1);
        assertThat(expectations.areMet(OWNER)).isFalse();
        expectations.creationObserved(OWNER);
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void aDeletionThatIsSeenTwiceCountsOnce() {
        expectations.expectDeletions(OWNER, List.of("uid-1", "uid-2"));
        expectations.deletionObserved(OWNER, "uid-1");
        expectations.deletionObserved(OWNER, "uid-1");
        expectations.deletionObserved(OWNER, "of another");
        assertThat(expectations.areMet(OWNER)).isFalse();
        expectations.deletionObserved(OWNER, "uid-2");
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void creationsAndDeletionsOfOneSyncAreExpectedTogether() {
        expectations.expect(OWNER, 1, List.of("uid-1"));
        expectations.creationObserved(OWNER);
        assertThat(expectations.areMet(OWNER)).isFalse();
        expectations.deletionObserved(OWNER, "uid-1");
        assertThat(expectations.areMet(OWNER)).isTrue();
        expectations.expect(OWNER, 0, List.of());
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void creationsAreNotMetByDeletions() {
        expectations.expectCreations(OWNER, 1);
        expectations.deletionObserved(OWNER, "uid-1");
        assertThat(expectations.areMet(OWNER)).isFalse();
    }

    @Test
    void afterFiveMinutesTheyHoldNobodyBack() {
        expectations.expectCreations(OWNER, 1);
        assertThat(expectations.untilMet(OWNER)).isEqualTo(Duration.ofMinutes(5));
        clock.advance(Duration.ofSeconds(299));
        assertThat(expectations.untilMet(OWNER)).isEqualTo(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void anOwnerThatIsForgottenStartsClean() {
        expectations.expectDeletions(OWNER, List.of("uid-1"));
        expectations.forget(OWNER);
        assertThat(expectations.areMet(OWNER)).isTrue();
    }

    @Test
    void ownersDoNotMixUp() {
        expectations.expectCreations(OWNER, 1);
        assertThat(expectations.areMet("uid of another")).isTrue();
        expectations.creationObserved("uid of another");
        assertThat(expectations.areMet(OWNER)).isFalse();
    }

    @Test
    void thoseOfAnOwnerThatNobodyForgotGoWhenTheirTimeIsOver() {
        expectations.expectCreations("uid of one that is gone", 1);
        clock.advance(Expectations.TIMEOUT);
        expectations.expectCreations(OWNER, 1);
        assertThat(expectations.size()).isEqualTo(1);
    }
}
