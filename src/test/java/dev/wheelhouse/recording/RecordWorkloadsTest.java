package dev.wheelhouse.recording;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records scenarios from a real control plane, where {@code -Drecord} names them: {@code statefulset/*}, or
 * {@code {job,cronjob}/*}. It writes each recording beside its scenario, and prints how it differs from the recording
 * before.
 */
@EnabledIfSystemProperty(named = "record", matches = ".+")
class RecordWorkloadsTest {
    private static final int SHOWN = 12;

    @Test
    void recordsWhatTheRealControlPlaneDoes(@TempDir Path directory) throws Exception {
        List<Scenario> all = Scenario.all(System.getProperty("record"));
        assertThat(all).as("scenarios named %s", System.getProperty("record")).isNotEmpty();
        assertThat(Session.record(directory, all, RecordWorkloadsTest::keep)).isEmpty();
    }

    private static void keep(Scenario scenario, Recording recording) {
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
