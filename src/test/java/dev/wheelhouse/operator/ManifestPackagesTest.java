package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;

import io.kubernetes.client.openapi.models.V1ConfigMap;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.apiserver.admission.RestrictedPods;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.webhook.Validates;
import dev.wheelhouse.operator.webhook.Verdict;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The forms of an operator's manifests, judged by the programs that read them. */
class ManifestPackagesTest {
    /** A class for the cluster, with a definition, webhooks and rights in a namespace of its own. */
    public static final class PlotOperator implements DecidingOperator<Websites.Website> {
        @Override
        public void setup(Setup<Websites.Website> setup) {
            setup.name("plots").owns(V1ConfigMap.class);
        }

        @Override
        public Decision decide(Websites.Website primary, Related related, Instant now) {
            return Decision.deleteAll();
        }

        @Validates
        Verdict check(Websites.Website website) {
            return Verdict.allow();
        }
    }

    @TempDir
    private Path directory;

    private static Manifests manifests() {
        return Manifests.of(new PlotOperator()).image("example.com/plots:1").version("1.2.3");
    }

    private static List<JsonNode> documents(String yaml) {
        return Stream.of(yaml.split("(?m)^---$")).filter(text -> text.contains("kind: "))
                .map(ManifestPackagesTest::tree).sorted(Comparator.comparing(JsonNode::toString)).toList();
    }

    private static JsonNode tree(String yaml) {
        return ModelJson.tree(SafeYaml.load(yaml.getBytes(StandardCharsets.UTF_8)));
    }

    private JsonNode read(String file) throws IOException {
        return tree(Files.readString(directory.resolve(file)));
    }

    @Test
    void thePodKeepsTheRestrictedStandardAndHasProbesAndLimits() {
        JsonNode deployment = documents(manifests().yaml()).stream()
                .filter(object -> object.path("kind").asString().equals("Deployment")).findFirst().orElseThrow();
        JsonNode pod = deployment.at("/spec/template/spec");

        assertThat(RestrictedPods.violations(pod)).isEmpty();
        assertThat(pod.path("serviceAccountName").asString()).isEqualTo("plots");
        JsonNode container = pod.at("/containers/0");
        assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/readyz");
        assertThat(container.path("env").toString()).contains(Manifests.HEALTH_PORT, "8081");
        assertThat(container.at("/resources/limits/memory").asString()).isEqualTo("512Mi");
        assertThat(container.path("ports").toString()).contains("8081", "9443");
    }

    @Test
    void aProgramWithProbesOfItsOwnAndOtherWishesGetsThem() {
        String yaml = manifests().probes(8080, "/actuator/health/liveness", "/actuator/health/readiness")
                .deployment(made -> made.getSpec().setReplicas(2)).yaml();

        assertThat(yaml).contains("path: /actuator/health/liveness", "containerPort: 8080", "replicas: 2")
                .doesNotContain(Manifests.HEALTH_PORT);
    }

    @Test
    void kubectlAppliesTheKustomization() throws IOException {
        manifests().writeTo(directory);
        try (TestServer server = TestServer.start()) {
            Kubectl kubectl = Kubectl.orSkip(server.kubeconfig(), directory);

            assertThat(documents(kubectl.run("kustomize", directory.toString()).succeeded().output()))
                    .isEqualTo(documents(manifests().yaml()));
            assertThat(kubectl.run("apply", "--dry-run=server", "-k", directory.toString()).succeeded().output())
                    .contains("deployment.apps/plots created (server dry run)", "service/plots created");
        }
    }

    @Test
    void helmRendersTheChartToTheSameObjects() throws IOException {
        manifests().writeChartTo(directory);

        LintResult lint = new Helm(directory).lint().strict().call();
        assertThat(lint.isFailed()).as("%s", lint.getMessages()).isFalse();
        List<JsonNode> expected = documents(manifests().namespace("ops").yaml()).stream()
                .filter(object -> !object.path("kind").asString().equals("CustomResourceDefinition")).toList();
        List<JsonNode> rendered = documents(template().call());
        assertThat(names(rendered)).isEqualTo(names(expected));
        assertThat(template().set("replicas", 3).set("image", "example.com/plots:2").call())
                .contains("replicas: 3", "image: \"example.com/plots:2\"", "namespace: \"ops\"",
                        "resources: {\"limits\":{\"memory\":\"512Mi\"}");
        assertThat(documents(Files.readString(directory.resolve("crds/crds.yaml")))).hasSize(1);
    }

    private TemplateCommand template() {
        return new Helm(directory).template().withName("plots").withNamespace("ops").withKubeVersion("1.36.0");
    }

    private static Set<String> names(List<JsonNode> objects) {
        return objects.stream().map(object -> object.path("kind").asString() + " "
                + object.at("/metadata/namespace").asString("") + " " + object.at("/metadata/name").asString())
                .collect(Collectors.toSet());
    }

    @Test
    void theBundleHasTheSameDeploymentRightsAndDefinition() throws IOException {
        manifests().writeBundleTo(directory);

        JsonNode version = read("manifests/plots.clusterserviceversion.yaml");
        assertThat(version.at("/metadata/name").asString()).isEqualTo("plots.v1.2.3");
        List<JsonNode> objects = documents(manifests().yaml());
        JsonNode install = version.at("/spec/install/spec");
        assertThat(install.at("/deployments/0/spec")).isEqualTo(of("Deployment", objects).path("spec"));
        assertThat(install.at("/clusterPermissions/0/rules")).isEqualTo(of("ClusterRole", objects).path("rules"));
        assertThat(install.at("/permissions/0/rules")).isEqualTo(of("Role", objects).path("rules"));
        assertThat(install.at("/permissions/0/serviceAccountName").asString()).isEqualTo("plots");
        assertThat(version.at("/spec/customresourcedefinitions/owned/0/kind").asString()).isEqualTo("Website");
        assertThat(read("manifests/websites.example.com.crd.yaml"))
                .isEqualTo(of("CustomResourceDefinition", objects));
        assertThat(read("manifests/plots.service.yaml").path("metadata").has("namespace")).isFalse();
        assertThat(read("metadata/annotations.yaml").path("annotations")
                .path("operators.operatorframework.io.bundle.package.v1").asString()).isEqualTo("plots");
        assertThat(directory.resolve("bundle.Dockerfile")).content().startsWith("FROM scratch\nLABEL ");
    }

    private static JsonNode of(String kind, List<JsonNode> objects) {
        return objects.stream().filter(object -> object.path("kind").asString().equals(kind)).findFirst().orElseThrow();
    }

    @Test
    void aPackageNeedsAnImageAndASemanticVersion() {
        assertThatThrownBy(() -> Manifests.of(new PlotOperator()).writeChartTo(directory))
                .hasMessage("a chart and a bundle run an image: name it by image(…) or --image");
        assertThatThrownBy(() -> Manifests.of(new PlotOperator()).version("latest"))
                .hasMessage("the version \"latest\" is no semantic version, such as 1.0.0");
    }
}
