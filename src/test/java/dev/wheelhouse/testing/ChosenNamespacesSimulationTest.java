package dev.wheelhouse.testing;

import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Namespace;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.operator.Setup;

import static org.assertj.core.api.Assertions.assertThat;

/** An operator whose namespaces come and go, with every fault at every place. */
@Tag("stepped")
class ChosenNamespacesSimulationTest {
    private static final String TENANT = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: red, labels: {tenant: 'yes'}}
            """;

    static final class Tenants extends WebsiteOperator {
        @Override
        public void setup(Setup<Website> setup) {
            super.setup(setup);
            setup.namespaces(LabelSelector.parse("tenant=yes"));
        }
    }

    private static Website website() {
        Website website = Website.of("blog", 2, "Hello");
        website.getMetadata().setNamespace("red");
        return website;
    }

    private static void scale(User user, int replicas) {
        user.edit(Website.class, "red", "blog",
                website -> website.setSpec(new Website.Spec(replicas, website.getSpec().page())));
    }

    private static void label(User user, String value) {
        user.edit(V1Namespace.class, "", "red",
                namespace -> namespace.getMetadata().putLabelsItem("tenant", value));
    }

    @Test
    void noFaultChangesTheEnd() {
        SimulationReport report = OperatorSimulation.of(Tenants::new).crds(Website.class)
                .step("makes the namespace", user -> user.create(TENANT))
                .step("makes a website", user -> user.create(website()))
                .step("takes the namespace away", user -> label(user, "no"))
                .step("scales the website, which nobody looks at", user -> scale(user, 3))
                .step("gives the namespace back", user -> label(user, "yes"))
                .step("scales the website", user -> scale(user, 4)).seeds(5).within(Duration.ofSeconds(15)).run();
        assertThat(report.writes()).isGreaterThanOrEqualTo(5);
    }
}
