package dev.wheelhouse.apiserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills a server under write load at random moments, many times on one data directory. After each kill the acknowledged
 * writes are there and nothing else is, no version occurs twice, and a resumed watch misses nothing.
 * {@code -Dsize=long} kills it 200 times.
 */
@Tag("processes")
@Tag("full")
class CrashTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int WRITERS = 4;
    private static final int KEPT_WRITES = 5_000;
    private static final long SEED = Long.getLong("wheelhouse.seed", 20_26);

    private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);

    @TempDir
    Path directory;

    @Test
    @Timeout(3600)
    void everyAcknowledgedWriteSurvivesAKillAtAnyMomentAndWatchesGoOnWithoutAGap() throws Exception {
        int crashes = Sizes.of("wheelhouse.crashes", 3, 6, 200);
        List<CrashWriter> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new CrashWriter("w" + i, random.nextLong()));
        }
        CrashWatcher watcher = new CrashWatcher();
        long acknowledged = 0;
        long inDoubt = 0;
        for (int crash = 0; crash <= crashes; crash++) {
            try (Child child = new Child(directory, crash % 2 == 1)) {
                Map<String, Long> listed = new TreeMap<>();
                long version = CrashWriter.list(child.url, listed);
                assertThat(version).as("versions never go back").isGreaterThanOrEqualTo(watcher.lastVersion());
                for (CrashWriter writer : writers) {
                    inDoubt += writer.verify(listed);
                }
                assertThat(listed.keySet()).as("what nobody wrote").isEmpty();
                watcher.resume(child.url);
                Map<String, Long> now = new TreeMap<>();
                CrashWriter.list(child.url, now);
                Eventually.eventually("the watch has told everything", PATIENCE,
                        () -> watcher.state().equals(now));
                for (CrashWriter writer : writers) {
                    assertThat(watcher.seen()).as("versions that the watch told").containsAll(writer.versions());
                    acknowledged += writer.forgetVersions();
                }
                if (crash < crashes) {
                    load(child, writers);
                }
                child.kill();
                watcher.awaitCut();
            }
        }
        System.out.println("crash test: seed " + SEED + ", " + crashes + " kills, " + acknowledged
                + " acknowledged writes, none lost; " + inDoubt + " that were cut off took effect");
        assertThat(acknowledged).isGreaterThan(crashes);
    }

    private void load(Child child, List<CrashWriter> writers) throws InterruptedException {
        CountDownLatch first = new CountDownLatch(WRITERS);
        List<Thread> threads = writers.stream()
                .map(writer -> Thread.ofVirtual().start(() -> writer.run(child.url, first))).toList();
        assertThat(first.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        // This waits for nothing: it makes the moment of the kill random.
        TimeUnit.MILLISECONDS.sleep(random.nextInt(5, 250));
        child.kill();
        for (Thread thread : threads) {
            assertThat(thread.join(PATIENCE)).isTrue();
        }
    }

    /** The server's process. */
    private static final class Child implements AutoCloseable {
        private final Process process;
        final String url;

        Child(Path directory, boolean fsync) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:-BytecodeVerificationRemote", "-Dlogback.configurationFile=none", "-cp",
                    System.getProperty("java.class.path"), CrashingServer.class.getName(), directory.toString(),
                    String.valueOf(KEPT_WRITES), String.valueOf(fsync)).redirectErrorStream(true);
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            process = builder.start();
            BufferedReader lines = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder output = new StringBuilder();
            String line = lines.readLine();
            while (line != null && !line.startsWith("listening ")) {
                output.append(line).append('\n');
                line = lines.readLine();
            }
            assertThat(line).as(output.toString()).isNotNull();
            url = line.substring("listening ".length());
            Thread.ofVirtual().start(() -> lines.lines().forEach(ignored -> {}));
        }

        /** As {@code kill -9} does. */
        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }

        @Override
        public void close() throws InterruptedException {
            kill();
        }
    }
}
