package dev.wheelhouse.controllers.deployment;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.client.ModelJson;

@DisplayName("The Deployment controller does what a real one was recorded to do")
class DeploymentGoldenTest {
    /** Scenarios without a Deployment, or that test something else. */
    private static final Map<String, String> ELSEWHERE = Map.of("invalid",
            "validation by the API server");
    private static final Set<String> WITH_DEPLOYMENTS = Set.of("rs_deleted_by_hand");

    static Stream<String> scenarios() throws Exception {
        try (var in = DeploymentGoldenTest.class.getResourceAsStream("/golden/INDEX.json")) {
            return ModelJson.mapperForModels().readTree(in).get("scenarios").propertyNames().stream()
                    .filter(n -> !n.startsWith("rs_") || WITH_DEPLOYMENTS.contains(n))
                    .filter(n -> !ELSEWHERE.containsKey(n)).sorted().toList().stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesTheRecordedStatesWithNoMoreWritesAndTheSameEvents(String scenario) throws Exception {
        for (long seed = 1; seed <= 5; seed++) {
            replay(scenario, seed, true);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesThemWithTerminatingPodsCountedToo(String scenario) throws Exception {
        replay(scenario, 1, false);
    }

    private static void replay(String scenario, long seed, boolean asRecorded) throws Exception {
        try {
            new GoldenScenario(scenario, seed, asRecorded).replay();
        } catch (AssertionError e) {
            throw new AssertionError(scenario + ", turns drawn from seed " + seed + ": " + e.getMessage(), e);
        }
    }
}
