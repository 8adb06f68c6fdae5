package dev.wheelhouse.client.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** An answer that must come at some pace. */
class SteadyStreamTest {
    private final ManualClock clock = new ManualClock();
    private final SteadyStream stream = new SteadyStream(new ByteArrayInputStream(new byte[200 * 1024]), clock);

    @Test
    void anAnswerThatDripsIsGivenUpAfterHalfAMinute() throws IOException {
        for (int i = 0; i < 30; i++) {
            assertThat(stream.read()).isZero();
            clock.advance(Duration.ofSeconds(1));
        }
        clock.advance(Duration.ofMillis(1));
        assertThatThrownBy(stream::read).isInstanceOf(IOException.class).hasMessageContaining("only 31 bytes");
    }

    @Test
    void aLongAnswerThatComesSteadilyMayTakeMinutes() throws IOException {
        for (int i = 0; i < 120; i++) {
            assertThat(stream.readNBytes(1200)).hasSize(1200);
            clock.advance(Duration.ofSeconds(1));
        }
    }
}
