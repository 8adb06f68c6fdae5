package dev.wheelhouse.simulation;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The simulation catches")
@ExtendWith(Quiet.class)
class PlantedFaultsTest {
    private static final int SEEDS = 150;

    static Stream<Arguments> faults() {
        return Stream.of(Arguments.of("expectations skipped", PlantedFaults.EXPECTATIONS_SKIPPED),
                Arguments.of("controllerRef ignored", PlantedFaults.CONTROLLER_REF_IGNORED),
                Arguments.of("a fencepost off by one", PlantedFaults.FENCEPOST),
                Arguments.of("a stale cache read", PlantedFaults.STALE_READ),
                Arguments.of("a lost requeue", PlantedFaults.LOST_REQUEUE),
                Arguments.of("the victims' order reversed", PlantedFaults.VICTIMS_REVERSED),
                Arguments.of("a status written from an old view", PlantedFaults.statusOfAnOldView()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void withinAFewSeeds(String name, PlantedFault fault) throws InterruptedException {
        String caught = "";
        for (long seed = 1; caught.isEmpty() && seed <= SEEDS; seed++) {
            try {
                SimulationTest.check(seed, fault);
            } catch (AssertionError e) {
                caught = e.getMessage();
            }
        }
        System.out.println("CAUGHT " + name + ": " + caught.lines().findFirst().orElse("never"));
        assertThat(caught).as("%s, in %d seeds", name, SEEDS).startsWith("seed ");
    }
}
