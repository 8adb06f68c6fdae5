package dev.wheelhouse.recording;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records scenarios from a real control plane, where {@code -Drecord} names them: {@code statefulset/*}, or
 * {@code {job,cronjob}/*}. It writes each recording beside its scenario, and prints how it differs from the recording
 * before. {@code -Drecord.atOnce=N} plays N scenarios at a time.
 */
@EnabledIfSystemProperty(named = "record", matches = ".+")
class RecordWorkloadsTest {
    private static final int AT_ONCE = Integer.getInteger("record.atOnce", 6);

    private static final int SHOWN = 12;

    @Test
    void recordsWhatTheRealControlPlaneDoes(@TempDir Path directory) throws Exception {
        List<Scenario> all = Scenario.all(System.getProperty("record"));
        assertThat(all).as("scenarios named %s", System.getProperty("record")).isNotEmpty();
        List<String> failures = new ArrayList<>();
        try (ControlPlane plane = new ControlPlane(directory)) {
            plane.runManager(Set.of(), Map.of());
            Actors actors = new Actors(plane.user(), "default", new Names());
            actors.addNodes();
            together(plane, all.stream().filter(s -> !s.isAlone()).toList(), failures);
            for (Scenario scenario : all.stream().filter(Scenario::isAlone).toList()) {
                if (scenario.hasNodes()) {
                    actors.removeNodes();
                }
                plane.runManager(scenario.controllers(), scenario.options());
                together(plane, List.of(scenario), failures);
                actors.addNodes();
            }
        }
        assertThat(failures).isEmpty();
    }

    private static void together(ControlPlane plane, List<Scenario> scenarios, List<String> failures)
            throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            Map<Scenario, Future<?>> running = new LinkedHashMap<>();
            scenarios.forEach(s -> running.put(s, threads.submit(() -> {
                record(plane, s);
                return null;
            })));
            for (Map.Entry<Scenario, Future<?>> run : running.entrySet()) {
                try {
                    run.getValue().get();
                } catch (ExecutionException e) {
                    failures.add(run.getKey() + ": " + e.getCause());
                }
            }
        }
    }

    private static void record(ControlPlane plane, Scenario scenario) throws Exception {
        Recording recording = Recorder.record(plane, scenario);
        List<String> differences = Recording.exists(scenario)
                ? Difference.between(Recording.read(scenario), recording, scenario)
                : List.of("new");
        recording.write(scenario);
        System.out.println(scenario + ": " + recording.entries().size() + " states"
                + (differences.isEmpty()
                        ? ", as before"
                        : "\n  " + String.join("\n  ", differences.stream().limit(SHOWN).toList())));
    }
}
