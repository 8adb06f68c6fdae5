package dev.wheelhouse.testing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stepped")
class WebsiteSimulationTest {
    @Test
    void noFaultChangesTheEnd() {
        OperatorSimulation.of(WebsiteOperator::new).crds(Website.class)
                .start(Website.of("blog", 2, "Hello"))
                .step("changes the page", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Welcome"))))
                .seeds(5).run();
    }
}
