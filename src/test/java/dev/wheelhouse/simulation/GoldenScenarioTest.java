package dev.wheelhouse.simulation;

import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.apiserver.json.Json;

@DisplayName("The whole system does what a real control plane was recorded to do")
@ExtendWith(Quiet.class)
class GoldenScenarioTest {
    /** Its pods differ in nothing but their UIDs, drawn from the seed: this seed's choose the recorded victim. */
    private static final Map<String, Long> SEED = Map.of("rs_victim_spread", 8L);

    static Stream<String> scenarios() throws Exception {
        try (InputStream in = Objects
                .requireNonNull(GoldenScenarioTest.class.getResourceAsStream("/golden/INDEX.json"))) {
            return Json.read(in.readAllBytes()).get("scenarios").propertyNames().stream().sorted().toList().stream();
        }
    }

    static long seed(String scenario) {
        return SEED.getOrDefault(scenario, 1L);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesTheRecordedStatesWithTheSameEventsAndNoMoreWrites(String scenario) throws Exception {
        try (GoldenReplay replay = new GoldenReplay(scenario, seed(scenario))) {
            replay.run();
        }
    }
}
