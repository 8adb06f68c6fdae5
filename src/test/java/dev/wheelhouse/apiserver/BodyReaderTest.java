package dev.wheelhouse.apiserver;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class BodyReaderTest {
    private static final int MIB = 1024 * 1024;

    private final ManualClock clock = new ManualClock();
    private final ByteBudget memory = new ByteBudget(8 * MIB);
    private final BodyReader reader = new BodyReader(clock, 3 * MIB);

    private BodyReader.Outcome read(InputStream in, long announced, ByteBudget.Part part) throws Exception {
        return reader.read(in, announced, part, clock.deadline(Duration.ofMinutes(1)));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31);
        }
        return bytes;
    }

    @Test
    void aBodyIsReadWholeWhetherItsLengthIsToldOrNot() throws Exception {
        for (int length : new int[]{0, 1, 8191, 8192, 8193, 100_000, 3 * MIB}) {
            for (long announced : new long[]{length, -1}) {
                try (ByteBudget.Part part = memory.part("a")) {
                    BodyReader.Outcome read = read(new ByteArrayInputStream(bytes(length)), announced, part);
                    assertThat(read.refusal()).isNull();
                    assertThat(Arrays.equals(read.body(), bytes(length))).isTrue();
                    assertThat(memory.used()).isLessThanOrEqualTo(length <= 8192 && announced >= 0
                            ? 0
                            : 2L * length + 2 * 64 * 1024);
                }
            }
        }
        assertThat(memory.used()).isZero();
    }

    @Test
    void aLengthThatIsOnlyAnnouncedTakesNoMemory() throws Exception {
        try (ByteBudget.Part part = memory.part("a")) {
            InputStream stalls = new ByteArrayInputStream(bytes(200_000)) {
                @Override
                public synchronized int read(byte[] into, int from, int length) {
                    assertThat(into.length).as("the buffer").isLessThanOrEqualTo(64 * 1024);
                    assertThat(memory.used()).as("bytes held").isLessThanOrEqualTo(2L * (pos + 64 * 1024));
                    return super.read(into, from, Math.min(length, 1000));
                }
            };
            read(stalls, 3 * MIB, part);
        }
        assertThat(memory.used()).isZero();
    }

    @Test
    void aBodyThatIsTooLongIsRefusedBeforeItIsHeld() throws Exception {
        try (ByteBudget.Part part = memory.part("a")) {
            assertThat(read(InputStream.nullInputStream(), 3 * MIB + 1, part).refusal().code()).isEqualTo(413);
            assertThat(memory.used()).isZero();
            assertThat(read(new ByteArrayInputStream(bytes(4 * MIB)), -1, part).refusal().code()).isEqualTo(413);
            assertThat(memory.used()).isLessThanOrEqualTo(2 * (3 * MIB + 64 * 1024));
        }
    }

    @Test
    void aBodyThatDribblesIsGivenUpAtItsDeadline() throws Exception {
        InputStream dribbles = new InputStream() {
            @Override
            public int read() {
                clock.advance(Duration.ofSeconds(1));
                return 'x';
            }

            @Override
            public int read(byte[] into, int from, int length) {
                into[from] = (byte) read();
                return 1;
            }
        };
        try (ByteBudget.Part part = memory.part("a")) {
            assertThat(read(dribbles, 3 * MIB, part).refusal().code()).isEqualTo(408);
        }
    }

    @Test
    void oneSenderHoldsHalfOfTheMemoryAndAnotherGetsTheRest() throws Exception {
        try (ByteBudget.Part greedy = memory.part("greedy");
                ByteBudget.Part more = memory.part("greedy");
                ByteBudget.Part honest = memory.part("honest")) {
            assertThat(greedy.take(4 * MIB, Duration.ZERO)).isTrue();
            assertThat(more.take(1, Duration.ZERO)).isFalse();
            assertThat(honest.take(4 * MIB, Duration.ZERO)).isTrue();
            assertThat(memory.part("third").take(1, Duration.ZERO)).isFalse();
            greedy.close();
            assertThat(more.take(1, Duration.ZERO)).isTrue();
        }
        assertThat(memory.used()).isZero();
    }

    @Test
    void aBodyForWhichThereIsNoMemoryIsToldToComeLater() throws Exception {
        ByteBudget small = new ByteBudget(100_000);
        BodyReader impatient = new BodyReader(clock, 3 * MIB);
        try (ByteBudget.Part held = small.part("greedy"); ByteBudget.Part part = small.part("honest")) {
            assertThat(held.take(100_000, Duration.ZERO)).isTrue();
            BodyReader.Outcome outcome = impatient.read(new ByteArrayInputStream(bytes(50_000)), 50_000, part,
                    clock.deadline(Duration.ofMinutes(1)));
            assertThat(outcome.refusal().code()).isEqualTo(429);
            assertThat(outcome.refusal().retryAfter()).isEqualTo(1);
        }
    }
}
