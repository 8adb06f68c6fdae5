package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Status;

import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.runtime.SignalledLoop;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

@Timeout(900)
class LoopsHealthIndicatorTest {
    @Test
    void livenessFailsWhileALoopStandsStillAndShowsItsStack() throws Exception {
        CountDownLatch stands = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ManualClock clock = new ManualClock();
        try (LoopRunner runner = new LoopRunner("test", clock)) {
            LoopsHealthIndicator health = new LoopsHealthIndicator(runner, Duration.ofMinutes(10));
            runner.startOnPlatformThread("handler", new SignalledLoop() {
                @Override
                public long step() throws InterruptedException {
                    stands.countDown();
                    release.await();
                    return IDLE;
                }
            });
            stands.await();
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
            clock.advance(Duration.ofMinutes(10));
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.health().getDetails().get("test/handler").toString())
                    .contains("one step has lasted for 600 s", "LoopsHealthIndicatorTest");
            release.countDown();
            eventually("the loop goes on", Duration.ofMinutes(2),
                    () -> health.health().getStatus().equals(Status.UP));
        }
    }
}
