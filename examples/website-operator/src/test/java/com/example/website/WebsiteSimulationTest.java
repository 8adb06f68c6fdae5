package com.example.website;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.testing.OperatorSimulation;

/** The operator is killed before and after every write, reads old caches, loses the lead: the end stays the same. */
class WebsiteSimulationTest {
    @Test
    void noFaultChangesTheEnd() {
        OperatorSimulation.of(WebsiteOperator::new).crds(Website.class).seeds(5)
                .step("creates a website", user -> user.create("""
                        apiVersion: example.com/v1
                        kind: Website
                        metadata: {name: home}
                        spec: {html: <h1>Hello</h1>, replicas: 2}
                        """))
                .step("changes the page and scales", user -> user.edit(Website.class, "default", "home",
                        it -> it.setSpec(new Website.Spec("<h1>Goodbye</h1>", 3))))
                .run();
    }
}
