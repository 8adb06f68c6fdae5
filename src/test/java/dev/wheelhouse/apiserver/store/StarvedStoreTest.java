package dev.wheelhouse.apiserver.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.wheelhouse.Sizes;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets a store run out of memory under load, and kills it, again and again on one data directory. Whatever it
 * acknowledged is there afterwards. {@code -Dsize=long} takes 20 processes.
 */
@Tag("processes")
@Tag("full")
class StarvedStoreTest {
    private static final int LONGEST_LIFETIME_MILLIS = 6_000;

    @TempDir
    Path directory;

    @Test
    @Timeout(600)
    void nothingThatAProcessWithoutMemoryAcknowledgedIsLost() throws Exception {
        int processes = Sizes.of("wheelhouse.starvations", 1, 2, 20);
        Map<String, Long> acknowledged = new TreeMap<>();
        int writes = 0;
        for (int i = 0; i < processes; i++) {
            ProcessBuilder builder = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx24m",
                    "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dlogback.configurationFile=none", "-cp",
                    System.getProperty("java.class.path"), StarvedStore.class.getName(), directory.toString(),
                    String.valueOf(LONGEST_LIFETIME_MILLIS)).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().remove("JAVA_TOOL_OPTIONS");
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            for (String line : output.lines().filter(line -> line.matches("w\\d-\\d \\d+")).toList()) {
                acknowledged.merge(line.split(" ")[0], Long.valueOf(line.split(" ")[1]), Math::max);
                writes++;
            }
            try (ObjectStore store = new ObjectStore(new ManualClock(), Retention.standard(),
                    Storage.inDirectory(directory, 50, false))) {
                acknowledged.forEach((name, version) -> assertThat(store.get("configmaps", "ns", name))
                        .as(name + " at version " + version)
                        .isNotNull().matches(stored -> stored.version() >= version));
            }
        }
        System.out.println("starved store: " + processes + " processes, " + writes + " acknowledged writes, none lost");
        assertThat(writes).isPositive();
    }
}
