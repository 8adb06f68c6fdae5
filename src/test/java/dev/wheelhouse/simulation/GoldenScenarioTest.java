package dev.wheelhouse.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

@Tag("stepped")
@DisplayName("The whole system does what a real control plane was recorded to do")
@ExtendWith(Quiet.class)
class GoldenScenarioTest {
    /**
     * A scenario whose pods differ in their UIDs only. UIDs are random, in the recording and here, so only some seeds
     * choose the recorded victim.
     */
    static final String BY_CHANCE = "rs_victim_spread";
    private static final int CHANCES = 64;
    private static final Map<String, Long> SEEDS = new ConcurrentHashMap<>();

    static Stream<String> scenarios() throws Exception {
        return index("/golden/INDEX.json").propertyNames().stream().sorted().toList().stream();
    }

    static Stream<String> scenariosOf136() throws Exception {
        return index("/golden-1.36/INDEX.json").valueStream().map(name -> "1.36/" + name.asString());
    }

    private static JsonNode index(String path) throws IOException {
        try (InputStream in = Objects.requireNonNull(GoldenScenarioTest.class.getResourceAsStream(path))) {
            return Json.read(in.readAllBytes()).get("scenarios");
        }
    }

    /** A seed with which the replays of a scenario can equal the recording, with all controllers and with fewer. */
    static long seed(String scenario) throws Exception {
        if (!scenario.equals(BY_CHANCE)) {
            return 1;
        }
        Long known = SEEDS.get(scenario);
        if (known != null) {
            return known;
        }
        AssertionError last = null;
        for (long seed = 1; seed <= CHANCES; seed++) {
            try (GoldenReplay replay = new GoldenReplay(scenario, seed);
                    GoldenReplay crashing = new GoldenReplay(scenario, seed).withCrashes()) {
                replay.run();
                crashing.run();
                SEEDS.put(scenario, seed);
                return seed;
            } catch (AssertionError e) {
                last = e;
            }
        }
        throw new AssertionError("no seed up to " + CHANCES + " chooses the recorded victim", last);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesTheRecordedStatesWithTheSameEventsAndNoMoreWrites(String scenario) throws Exception {
        try (GoldenReplay replay = new GoldenReplay(scenario, seed(scenario))) {
            replay.run();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void reachesThemWhicheverControllerActsFirst(String scenario) throws Exception {
        for (long order = 1; order <= 3; order++) {
            try (GoldenReplay replay = new GoldenReplay(scenario, seed(scenario), new Random(order))) {
                replay.run();
            } catch (AssertionError e) {
                throw new AssertionError("workers in the order of seed " + order + ": " + e.getMessage(), e);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenariosOf136")
    void reachesTheStatesThatARealControlPlaneOfThisVersionReached(String scenario) throws Exception {
        try (GoldenReplay replay = new GoldenReplay(scenario, 1)) {
            replay.run();
        }
    }
}
