package dev.wheelhouse.recording;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.simulation.Quiet;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code -Dreplay=statefulset/*} replays some of them only. */
@Tag("stepped")
@DisplayName("The controllers do to workloads what a real kube-controller-manager was recorded to do")
@ExtendWith(Quiet.class)
class RecordedWorkloadsTest {
    private static final int SHOWN = 12;

    static Stream<Scenario> scenarios() {
        return Scenario.all(System.getProperty("replay", "**")).stream().filter(Recording::exists);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesTheRecordedStatesWithTheSameEventsAndNoMoreWrites(Scenario scenario) throws Exception {
        try (Replay replay = new Replay(scenario, 1)) {
            List<String> differences = replay.run();
            assertThat(String.join("\n", differences.stream().limit(SHOWN).toList()))
                    .as("%s: %s\n%d differences", scenario, scenario.doc(), differences.size()).isEmpty();
        }
    }
}
