package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.operator.Operator;

import static org.assertj.core.api.Assertions.assertThat;

class OperatorSimulationTest {
    private static OperatorSimulation simulation(Supplier<? extends Operator<?>> operator) {
        return OperatorSimulation.of(operator).crds(Website.class).start(Website.of("blog", 2, "Hello"))
                .step("scales the website", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Hello"))))
                .step("changes the page", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Welcome"))));
    }

    @Test
    void debug() {
        for (Supplier<Operator<?>> s : java.util.List.<Supplier<Operator<?>>>of(PlantedBugs.ByHand::new, PlantedBugs.ActsOnAStaleRead::new, PlantedBugs.LosesACrashBetweenTwoWrites::new, PlantedBugs.ForgetsADeletedChild::new, PlantedBugs.MutatesWhatItWasHanded::new, PlantedBugs.MutatesTheCache::new, PlantedBugs.Blocks::new, PlantedBugs.DependsOnChance::new, PlantedBugs.NeverComesToRest::new)) {
            long began = System.nanoTime();
            OperatorSimulation sim = simulation(s).watchdog(Duration.ofSeconds(5));
            if (s.get() instanceof PlantedBugs.ActsOnAStaleRead) sim.start(Website.of("shop", 1, "Hi"));
            SimulationReport report = sim.explore();
            System.out.println("=================== " + s.get().getClass().getSimpleName() + "\n" + report + " " + (System.nanoTime() - began) / 1_000_000 + " ms");
        }
    }
}
