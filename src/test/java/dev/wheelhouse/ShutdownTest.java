package dev.wheelhouse;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import com.sun.management.HotSpotDiagnosticMXBean;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Nothing is left behind when the service stops. */
@Timeout(900)
@Isolated
class ShutdownTest {
    @TempDir
    private Path directory;

    @Test
    void noThreadIsLeftBehind() throws Exception {
        Map<String, String> before = threads();
        try (RunningService service = RunningService.start(directory, "--wheelhouse.workers=3",
                "--wheelhouse.workers-of.deployment=7")) {
            assertThat(threads().values()).as("the service's own threads are seen")
                    .anyMatch(t -> t.contains("controllers/"));
            assertThat(threads().values()).as("each controller has as many workers as was said")
                    .contains("controllers/deployment-controller-6", "controllers/replicaset-controller-2")
                    .doesNotContain("controllers/deployment-controller-7", "controllers/replicaset-controller-3");
            assertThat(service.kubeconfig()).exists();
        }

        Eventually.eventually("the service's threads have ended", Duration.ofMinutes(2), () -> {
            Map<String, String> left = threads();
            left.keySet().removeAll(before.keySet());
            left.values().removeIf(ShutdownTest::belongsToTheJvm);
            assertThat(left).isEmpty();
            return true;
        });
    }

    /**
     * Carriers, pollers and helpers that the JDK keeps for the whole process, and Okio's timer, which ends when it has
     * been idle.
     */
    private static boolean belongsToTheJvm(String thread) {
        return Stream.of("ForkJoinPool-", "ForkJoinPool.", "VirtualThread-", "Read-Poller", "Write-Poller",
                "MasterPoller", "SubPoller",
                "Cleaner-", "Common-Cleaner", "Attach Listener", "process reaper", "Keep-Alive-Timer", "Okio Watchdog")
                .anyMatch(thread::startsWith);
    }

    /** The names of all threads, virtual ones too, by their id. */
    private Map<String, String> threads() throws Exception {
        Path dump = Files.createTempDirectory(directory, "dump").resolve("threads.json");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpThreads(dump.toString(),
                HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
        Map<String, String> names = new TreeMap<>();
        JsonNode root = JsonMapper.shared().readTree(Files.readAllBytes(dump));
        for (JsonNode container : root.path("threadDump").path("threadContainers")) {
            for (JsonNode thread : container.path("threads")) {
                String name = thread.path("name").asString("");
                names.put(thread.path("tid").asString(), name.isEmpty() ? "unnamed" : name);
            }
        }
        return names;
    }
}
