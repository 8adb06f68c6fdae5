package dev.wheelhouse.simulation;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

@DisplayName("A manager that crashes at any write is replaced by one that reaches the recorded states")
@ExtendWith(Quiet.class)
class GoldenCrashTest {
    private static final Logger log = LoggerFactory.getLogger(GoldenCrashTest.class);
    /** Every how many-th crash point is tried: 1 with {@code -Psimulation}. */
    private static final int STRIDE = Integer.getInteger("simulation.crash.stride", 61);
    private static int points;
    private static long nanos;

    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.wheelhouse.simulation.GoldenScenarioTest#scenarios")
    void statesAreTheSameAsWithoutTheCrash(String scenario) throws Exception {
        long began = System.nanoTime();
        int first = Math.floorMod(scenario.hashCode(), STRIDE);
        boolean more = true;
        for (int point = first; more; point += STRIDE) {
            boolean after = point % 2 == 1;
            try (GoldenReplay replay = new GoldenReplay(scenario, GoldenScenarioTest.seed(scenario))
                    .crashingAt(point / 2, after)) {
                replay.run();
                more = replay.tries() > point / 2;
                points += more ? 1 : 0;
            } catch (AssertionError e) {
                throw new AssertionError(scenario + ", crash " + (after ? "after" : "before") + " write " + point / 2
                        + ": " + e.getMessage(), e);
            }
        }
        nanos += System.nanoTime() - began;
    }

    @AfterAll
    static void report() {
        log.info("{} crash points of the golden scenarios in {} s", points, Duration.ofNanos(nanos).toSeconds());
        System.out.println(
                points + " crash points of the golden scenarios in " + Duration.ofNanos(nanos).toSeconds() + " s");
    }
}
