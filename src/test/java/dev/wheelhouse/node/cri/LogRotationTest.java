package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LogRotationTest {
    private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

    @TempDir
    Path directory;
    private Path log;

    @BeforeEach
    void name() {
        log = directory.resolve("0.log");
    }

    private void write(String text) {
        try {
            Files.writeString(log, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return String.join(" ", all.map(each -> each.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void aSmallLogStays() throws IOException {
        write("1234");
        LogRotation.rotate(log, 5, NOON, () -> {
            throw new AssertionError("it was reopened");
        });
        LogRotation.rotate(directory.resolve("none.log"), 5, NOON, () -> {});
        assertThat(files()).isEqualTo("0.log");
    }

    @Test
    void aLargeLogIsRotatedAndFourOlderOnesStayOfWhichTheLastIsNotCompressed() throws IOException {
        write("run 0");
        for (int i = 1; i <= 6; i++) {
            String next = "run " + i;
            LogRotation.rotate(log, 5, NOON.plusSeconds(i), () -> write(next));
        }
        assertThat(files()).isEqualTo("0.log 0.log.20260102-120003.gz 0.log.20260102-120004.gz"
                + " 0.log.20260102-120005.gz 0.log.20260102-120006");
        assertThat(log).hasContent("run 6");
        assertThat(directory.resolve("0.log.20260102-120006")).hasContent("run 5");
        try (var in = new GZIPInputStream(Files.newInputStream(directory.resolve("0.log.20260102-120003.gz")))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("run 2");
        }
        LogRotation.delete(log);
        assertThat(files()).isEmpty();
    }

    @Test
    void aLogThatTheRuntimeDoesNotReopenGetsItsNameBack() throws IOException {
        write("12345");
        assertThatThrownBy(() -> LogRotation.rotate(log, 5, NOON, () -> {
            throw new CriException("m", CriException.UNAVAILABLE, "why");
        })).isInstanceOf(CriException.class);
        assertThat(log).hasContent("12345");
        assertThat(files()).isEqualTo("0.log");
    }

    @Test
    void aCompressionThatDidNotEndIsDoneAgain() throws IOException {
        write("now 1");
        Files.writeString(directory.resolve("0.log.20260102-110000"), "before");
        Files.writeString(directory.resolve("0.log.20260102-110000.tmp"), "half");
        LogRotation.rotate(log, 5, NOON, () -> write("now 2"));
        assertThat(files()).isEqualTo("0.log 0.log.20260102-110000.gz 0.log.20260102-120000");
    }
}
