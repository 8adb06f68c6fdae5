package dev.wheelhouse.node.cri;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CriLogsTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("0.log"), """
                2027-01-31T00:00:01.5Z stdout F one
                2027-01-31T00:00:02.5Z stderr P tw
                2027-01-31T00:00:02.6Z stderr F o ü
                garbage
                2027-01-31T00:00:03.5Z stdout F three
                """);
    }

    private static LogQuery query(boolean follow, boolean timestamps, @Nullable Instant since, long tail,
            long limit) {
        return new LogQuery(follow, false, timestamps, since, tail, limit);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', value = {
            "false, , -1, -1, one/two ü/three/", "true, , 1, -1, 2027-01-31T00:00:03.5Z three/", "false, , 0, -1, \"\"",
            "false, , 9, -1, one/two ü/three/", "false, 2027-01-31T00:00:03Z, -1, -1, three/", "false, , -1, 5, one/t",
            "false, , 2, -1, three/",
    })
    void theWantedPartIsWritten(boolean timestamps, Instant since, long tail, long limit, String expected)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CriLogs.write(file, query(false, timestamps, since, tail, limit), () -> false, out, () -> false);
        assertThat(out.toString(StandardCharsets.UTF_8).replace('\n', '/')).isEqualTo(expected);
    }

    @Test
    void followingEndsWithTheContainerAndMissesNothingThatItWroteLast() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AtomicInteger asked = new AtomicInteger();
        CriLogs.write(file, query(true, false, null, 1, -1), () -> {
            if (asked.incrementAndGet() == 3) {
                try {
                    Files.writeString(file, "2027-01-31T00:00:04Z stdout F last\n", StandardOpenOption.APPEND);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
            return asked.get() >= 3;
        }, out, () -> false);
        assertThat(out).hasToString("three\nlast\n");
    }

    @Test
    void aFileThatIsRotatedIsReadToItsEndAndThenItsSuccessor() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AtomicInteger asked = new AtomicInteger();
        CriLogs.write(file, query(true, false, null, 1, -1), () -> {
            try {
                switch (asked.incrementAndGet()) {
                    case 2 -> Files.move(file, folder.resolve("0.log.1"));
                    case 3 -> {
                        Files.writeString(folder.resolve("0.log.1"), "2027-01-31T00:00:04Z stdout F late\n",
                                StandardOpenOption.APPEND);
                        Files.writeString(file, "2027-01-31T00:00:05Z stdout F new\n");
                    }
                    default -> {
                    }
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return asked.get() > 6;
        }, out, () -> false);
        assertThat(out).hasToString("three\nlate\nnew\n");
    }

    @Test
    void theMessageOfTheEndIsTheEndOfTheLog() throws IOException {
        assertThat(CriLogs.tail(file)).isEqualTo("one\ntwo ü\nthree\n");
        assertThat(CriLogs.tail(folder.resolve("none.log"))).isEmpty();
        Files.writeString(file, "2027-01-31T00:00:04Z stdout F x\n".repeat(1000), StandardOpenOption.APPEND);
        assertThat(CriLogs.tail(file)).isEqualTo("x\n".repeat(80));
    }
}
