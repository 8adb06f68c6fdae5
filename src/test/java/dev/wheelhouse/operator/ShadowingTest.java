package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.testing.OperatorSimulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The next version of an operator that decides beside the running one, and writes nothing. */
class ShadowingTest {
    private static final String BLOG = """
            {apiVersion: example.com/v1, kind: Site, metadata: {name: blog, namespace: default},
             spec: {image: "%s", replicas: %s}}""";

    /** Writes a ConfigMap with what its version says, and with a second entry if it is told to. */
    static class Sites implements DecidingOperator<Site> {
        private final String greeting;
        private final boolean signs;

        Sites(String greeting, boolean signs) {
            this.greeting = greeting;
            this.signs = signs;
        }

        @Override
        public void setup(Setup<Site> setup) {
            setup.name("sites").owns(V1ConfigMap.class);
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            V1ConfigMap map = new V1ConfigMap().metadata(new V1ObjectMeta().name("blog"))
                    .putDataItem("text", greeting + site.getSpec().image());
            if (signs) {
                map.putDataItem("signature", "us");
            }
            if (greeting.isEmpty()) {
                throw new IllegalStateException("there is no greeting");
            }
            return Decision.apply(map).status(Site.Status.ready(site.getSpec().replicas()));
        }
    }

    private static List<String> differences(Sites running, Sites next) {
        return OperatorSimulation.of(() -> running).upgradesTo(() -> next).crds(Site.class)
                .step("creates a site", user -> user.create(BLOG.formatted("a", 1)))
                .step("changes it", user -> user.apply(BLOG.formatted("b", 2))).differences();
    }

    @Test
    void versionsThatDecideTheSameHaveNoDifferences() {
        assertThat(differences(new Sites("Hello ", true), new Sites("Hello ", true))).isEmpty();
    }

    @Test
    void anotherValueIsADifferenceAfterEachStep() {
        assertThat(differences(new Sites("Hello ", true), new Sites("Bye ", true))).containsExactly(
                "after somebody creates a site, default/blog: would apply configmaps default/blog: "
                        + "data.text: Hello a becomes Bye a",
                "after somebody changes it, default/blog: would apply configmaps default/blog: "
                        + "data.text: Hello b becomes Bye b");
    }

    @Test
    void aFieldThatIsNotWantedAnyMoreIsADifference() {
        assertThat(differences(new Sites("Hello ", true), new Sites("Hello ", false))).containsExactly(
                "after somebody creates a site, default/blog: would apply configmaps default/blog: "
                        + "data.signature is not wanted any more",
                "after somebody changes it, default/blog: would apply configmaps default/blog: "
                        + "data.signature is not wanted any more");
    }

    @Test
    void aVersionThatFailsDiffers() {
        assertThat(differences(new Sites("Hello ", true), new Sites("", true))).first().asString().isEqualTo(
                "after somebody creates a site, default/blog: would fail: java.lang.IllegalStateException: there is no "
                        + "greeting");
    }

    @Test
    void differencesNeedANextVersion() {
        assertThatThrownBy(() -> OperatorSimulation.of(() -> new Sites("", true)).differences())
                .hasMessage("differences need the next version: add upgradesTo(…)");
    }
}
