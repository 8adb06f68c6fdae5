package dev.wheelhouse.simulation;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.Sizes;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("stepped")
@Tag("sized")
@DisplayName("The simulation catches")
@ExtendWith(Quiet.class)
class PlantedFaultsTest {
    private static final int SEEDS = 150;
    /** The number of faults of each kind. */
    private static final int FAULTS = Sizes.of("simulation.faults", 1, 100, 100);
    /** The name of a {@link Kind} whose faults to plant; null for all. */
    private static final String KIND = System.getProperty("simulation.kind");

    static Stream<Arguments> faults() {
        return Stream.of(Kind.values()).filter(kind -> KIND == null || kind.name().equals(KIND))
                .flatMap(kind -> kind.faults().stream().limit(FAULTS)
                        .map(fault -> Arguments.of(kind, fault.name(), fault)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("faults")
    void withinAFewSeedsAndForWhatItDoes(Kind kind, String name, PlantedFault fault) throws InterruptedException {
        String caught = "";
        for (long seed = 1; caught.isEmpty() && seed <= SEEDS; seed++) {
            long number = seed;
            try {
                SimulationTest.check(seed, () -> Mix.of(number, kind), fault.defect());
            } catch (AssertionError e) {
                String first = e.getMessage().lines().findFirst().orElse("");
                caught = fault.isToldBy(first) ? first : "";
            }
        }
        System.out.println("CAUGHT " + name + ": " + (caught.isEmpty() ? "never" : caught));
        assertThat(caught).as("%s, in %d seeds", name, SEEDS).startsWith("seed ");
    }
}
