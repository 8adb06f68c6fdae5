package dev.wheelhouse.testing;

import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.operator.Operator;

import static org.assertj.core.api.Assertions.assertThat;

class OperatorSimulationTest {
    private static OperatorSimulation simulation(Supplier<? extends Operator<?>> operator) {
        return OperatorSimulation.of(operator).crds(Website.class).start(Website.of("blog", 2, "Hello"))
                .step("scales the website", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Hello"))))
                .step("removes the page", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, null))));
    }

    @Test
    void aCorrectOperatorPassesWithEveryFaultAtEveryPlace() {
        long began = System.nanoTime();
        SimulationReport report = simulation(WebsiteOperator::new).explore();
        System.out.println(report + " " + (System.nanoTime() - began) / 1_000_000);
        assertThat(report.findings()).isEmpty();
    }
}
