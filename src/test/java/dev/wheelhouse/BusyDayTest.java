package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.ServiceFigures.Sample;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The service on a busy cluster, whose day takes half an hour: its memory, threads, journal and metrics do not grow,
 * and nothing is left to do at the end. A full build plays a small cluster's day for a minute. {@code -Dsize=long}
 * plays the whole day of 5,000 pods; the samples are in {@code target/day.md}.
 */
@Timeout(7200)
@Tag("processes")
@Tag("full")
@EnabledOnOs(OS.LINUX)
class BusyDayTest {
    private static final int SECONDS = Sizes.of("day.seconds", 60, 60, 1800);
    private static final int PERCENT = Sizes.of("day.percent", 5, 5, 100);
    private static final List<String> VIEWS = List.of("flow", "controllers", "writes", "nodes", "objects?type=pods",
            "objects?type=deployments.apps");
    private static final int SAMPLES = 30;
    /** On a busy machine a sample takes long. */
    private static final int LEAST_SAMPLES = 9;
    private static final Path REPORT = Path.of("target/day.md");
    private static final long JOURNAL = 4 << 20;

    @TempDir
    private Path directory;

    private final List<Sample> samples = new ArrayList<>();
    private int missed;

    @Test
    void aServiceIsAsLargeInTheEveningAsAtNoon() throws Exception {
        try (BusyCluster cluster = new BusyCluster(directory, PERCENT);
                WheelhouseProcess service = new WheelhouseProcess(directory, "--server.port=0",
                        "--wheelhouse.kubeconfig=" + cluster.kubeconfig(), "--wheelhouse.manage=takeover",
                        "--logging.level.dev.wheelhouse.decisions=warn").awaitReady();
                ServiceFigures figures = new ServiceFigures(service.pid(), service.port(), cluster.token())) {
            cluster.populate();
            VIEWS.forEach(figures::follow);
            long began = System.nanoTime();
            Files.createDirectories(REPORT.toAbsolutePath().getParent());
            Files.deleteIfExists(REPORT);
            say("%s", Sample.HEAD);
            CountDownLatch evening = cluster.play(Duration.ofSeconds(SECONDS));
            while (!evening.await(Math.max(2000, SECONDS * 1000L / SAMPLES), TimeUnit.MILLISECONDS)
                    || samples.size() < LEAST_SAMPLES) {
                try {
                    samples.add(figures.sample());
                    say("%s", samples.getLast());
                } catch (IOException e) {
                    // While the API server is away, the service knows no user.
                    missed++;
                }
            }
            report(cluster, figures, service);
            cluster.awaitSettled();
            eventually("nothing is left to do", Duration.ofMinutes(2), () -> figures.value("workqueue_depth") == 0
                    && figures.value("controller_keys_failing") == 0);
            // A stream has fewer events where its view takes longer. It ends after a minute, or with the API server.
            assertThat(figures.streamed()).as("events of the console's streams").isGreaterThan(SECONDS / 4);
            long minutes = Duration.ofNanos(System.nanoTime() - began).toMinutes();
            assertThat(figures.ended()).as("streams that ended").isLessThanOrEqualTo(VIEWS.size() * (1 + minutes));
            assertThat(cluster.done()).allSatisfy((chore, times) -> assertThat(times).as(chore).isPositive());
        }
        holdBounds();
    }

    private static void say(String format, Object... values) throws IOException {
        String line = format.formatted(values);
        System.out.println(line);
        Files.writeString(REPORT, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void report(BusyCluster cluster, ServiceFigures figures, WheelhouseProcess service) throws IOException {
        say("");
        for (Map.Entry<String, Long> chore : cluster.done().entrySet()) {
            say("%,d %s", chore.getValue(), chore.getKey());
        }
        say("%,d requests refused", cluster.refused());
        say("%,d events of the console's streams, %d samples missed, %,d lines of log", figures.streamed(), missed,
                service.output().lines().count());
        say("from noon to evening: live heap %+,d KiB, resident %+,d KiB", growth(Sample::heap) / 1024,
                growth(Sample::resident) / 1024);
        Files.writeString(REPORT.resolveSibling("day.log"), service.output());
    }

    /** The median of the last third of the samples, minus that of the third before. */
    private long growth(ToLongFunction<Sample> figure) {
        return median(2, figure) - median(1, figure);
    }

    private long median(int third, ToLongFunction<Sample> figure) {
        return figures(third, figure).skip(samples.size() / 6).findFirst().orElseThrow();
    }

    private long least(int third, ToLongFunction<Sample> figure) {
        return figures(third, figure).findFirst().orElseThrow();
    }

    /** @param third from 0 */
    private LongStream figures(int third, ToLongFunction<Sample> figure) {
        int length = samples.size() / 3;
        return samples.stream().skip((long) third * length).limit(length).mapToLong(figure).sorted();
    }

    private void holdBounds() {
        assertThat(growth(Sample::heap)).as("bytes of live objects, more than at noon").isLessThan(12 << 20);
        assertThat(growth(Sample::resident)).as("resident bytes, more than at noon").isLessThan(48 << 20);
        // Platform threads come and go with the load, between 46 and 117. A leak raises the least number.
        assertThat(least(2, Sample::threads) - least(1, Sample::threads)).as("threads, more than at noon")
                .isLessThan(10);
        assertThat(growth(Sample::virtualThreads)).as("virtual threads, more than at noon").isLessThan(100);
        assertThat(growth(Sample::files)).as("open files, more than at noon").isLessThan(20);
        assertThat(growth(Sample::series)).as("series of metrics, more than at noon").isLessThan(150);
        assertThat(samples).allSatisfy(sample -> assertThat(sample.journal()).isLessThanOrEqualTo(JOURNAL));
        assertThat(samples.getLast().written()).as("writes in the journal").isPositive();
    }
}
