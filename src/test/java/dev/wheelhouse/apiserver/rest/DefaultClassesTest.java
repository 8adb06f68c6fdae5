package dev.wheelhouse.apiserver.rest;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import static dev.wheelhouse.apiserver.rest.RestClient.NS;
import static org.assertj.core.api.Assertions.assertThat;

/** The default classes of Ingresses and volume claims that name no class. */
class DefaultClassesTest {
    private static final String INGRESSES = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";

    private final RestClient rest = new RestClient();

    private void ingressClass(String name, boolean standard) {
        rest.post("/apis/networking.k8s.io/v1/ingressclasses", """
                {"metadata": {"name": "%s", "annotations": {"ingressclass.kubernetes.io/is-default-class": "%s"}},
                 "spec": {"controller": "example.com/c"}}""".formatted(name, standard));
        assertThat(rest.last.code()).isEqualTo(201);
    }

    private JsonNode ingress(String name, String annotations, String more) {
        return rest.post(INGRESSES, """
                {"metadata": {"name": "%s", "annotations": {%s}}, "spec": {%s "defaultBackend":
                 {"service": {"name": "s", "port": {"number": 80}}}}}""".formatted(name, annotations, more));
    }

    @Test
    void anIngressGetsTheNewestDefaultClass() {
        ingressClass("plain", false);
        assertThat(ingress("none", "", "").at("/spec/ingressClassName").isMissingNode()).isTrue();
        ingressClass("b", true);
        ingressClass("a", true);
        assertThat(ingress("first", "", "").at("/spec/ingressClassName").asString()).isEqualTo("a");
        rest.clock.advance(Duration.ofSeconds(5));
        ingressClass("c", true);
        assertThat(ingress("newest", "", "").at("/spec/ingressClassName").asString()).isEqualTo("c");
        assertThat(ingress("own", "", "\"ingressClassName\": \"plain\",").at("/spec/ingressClassName").asString())
                .isEqualTo("plain");
        assertThat(ingress("old", "\"kubernetes.io/ingress.class\": \"nginx\"", "").at("/spec/ingressClassName")
                .isMissingNode()).isTrue();
    }

    @Test
    void aVolumeClaimGetsTheDefaultStorageClassUnlessItWantsNone() {
        rest.post("/apis/storage.k8s.io/v1/storageclasses", """
                {"metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                 "provisioner": "example.com/p"}""");
        String claim = """
                {"metadata": {"name": "%s"}, "spec": {%s "accessModes": ["ReadWriteOnce"],
                 "resources": {"requests": {"storage": "1Gi"}}}}""";
        assertThat(rest.post(NS + "persistentvolumeclaims", claim.formatted("a", "")).at("/spec/storageClassName")
                .asString()).isEqualTo("fast");
        assertThat(rest.post(NS + "persistentvolumeclaims", claim.formatted("b", "\"storageClassName\": \"\","))
                .at("/spec/storageClassName").asString()).isEmpty();
    }
}
