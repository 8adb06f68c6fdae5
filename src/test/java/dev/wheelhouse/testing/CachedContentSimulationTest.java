package dev.wheelhouse.testing;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.operator.Setup;

import static org.assertj.core.api.Assertions.assertThat;

/** An operator whose caches have a part of the objects only, with every fault at every place. */
@Tag("stepped")
class CachedContentSimulationTest {
    static final class Parts extends WebsiteOperator {
        @Override
        public void setup(Setup<Website> setup) {
            setup.name("website-operator").primary(it -> it.bounded(1))
                    .owns(V1Deployment.class, it -> it.trim(deployment -> deployment.spec(null)))
                    .owns(V1Service.class, it -> it.bounded(1)).owns(V1ConfigMap.class, it -> it.metadataOnly());
        }
    }

    @Test
    void noFaultChangesTheEnd() {
        SimulationReport report = OperatorSimulation.of(Parts::new).crds(Website.class)
                .start(Website.of("blog", 2, "Hello"))
                .step("scales the website and changes its page", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Welcome"))))
                .step("deletes the website", user -> user.delete(Website.class, "default", "blog")).seeds(5)
                .within(Duration.ofSeconds(15)).run();
        assertThat(report.writes()).isGreaterThanOrEqualTo(5);
    }
}
