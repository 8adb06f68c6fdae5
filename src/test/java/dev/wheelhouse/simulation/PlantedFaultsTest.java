package dev.wheelhouse.simulation;

import java.util.regex.Pattern;
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

    /** The faults, each with the text by which a check reports it. */
    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("expectations skipped", PlantedFaults.EXPECTATIONS_SKIPPED,
                        "is deleted twice|a creation gives .* pods"),
                Arguments.of("controllerRef ignored", PlantedFaults.CONTROLLER_REF_IGNORED,
                        "a deletion leaves .* pods|of another than it read|a creation gives .* pods"),
                Arguments.of("a fencepost off by one", PlantedFaults.FENCEPOST,
                        "the size of .* (brings its Deployment to|leaves) .* pods"),
                Arguments.of("a stale cache read", PlantedFaults.STALE_READ,
                        "a creation gives .* pods|a deletion leaves .* pods|is deleted twice"),
                Arguments.of("a lost requeue", PlantedFaults.LOST_REQUEUE,
                        "no status tells that the last change was seen"),
                Arguments.of("the victims' order reversed", PlantedFaults.VICTIMS_REVERSED,
                        "is deleted, which is ready, before .*, which is not"),
                Arguments.of("a status written from an old view", PlantedFaults.statusOfAnOldView(),
                        "no status tells that the last change was seen|status .* back"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void withinAFewSeedsAndForWhatItDoes(String name, PlantedFault fault, String givenAwayBy)
            throws InterruptedException {
        Pattern reason = Pattern.compile(givenAwayBy);
        String caught = "";
        for (long seed = 1; caught.isEmpty() && seed <= SEEDS; seed++) {
            try {
                SimulationTest.check(seed, fault);
            } catch (AssertionError e) {
                String first = e.getMessage().lines().findFirst().orElse("");
                caught = reason.matcher(first).find() ? first : "";
            }
        }
        System.out.println("CAUGHT " + name + ": " + (caught.isEmpty() ? "never" : caught));
        assertThat(caught).as("%s, in %d seeds", name, SEEDS).startsWith("seed ");
    }
}
