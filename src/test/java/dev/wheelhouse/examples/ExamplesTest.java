package dev.wheelhouse.examples;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import io.kubernetes.client.custom.Quantity;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.FieldValidation;

import static org.assertj.core.api.Assertions.assertThat;

/** The manifests under {@code examples/} are what the README tells people to apply. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("examples");

    private record Example(Path file, ObjectNode object) {
        String kind() {
            return Json.text(object, "kind");
        }

        @Override
        public String toString() {
            return file + ": " + kind() + " " + Json.text(object, "metadata", "name");
        }
    }

    static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        try (Stream<Path> files = Files.walk(EXAMPLES)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".yaml") && !isOfChart(f)).sorted().toList()) {
                Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
                yaml.loadAll(Files.readString(file))
                        .forEach(o -> examples.add(new Example(file, Json.mapper().valueToTree(o))));
            }
        }
        return examples;
    }

    /** Charts are templates. {@code WorkloadChartsTest} installs them. */
    private static boolean isOfChart(Path file) {
        return Files.exists(EXAMPLES.resolve(EXAMPLES.relativize(file).getName(0)).resolve("Chart.yaml"));
    }

    private static List<Example> deployments() throws IOException {
        return examples().stream().filter(e -> e.kind().equals("Deployment")).toList();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleHasOnlyFieldsThatItsKindHas(Example example) {
        String apiVersion = Json.text(example.object, "apiVersion");
        assertThat(ResourceRegistry.builtIn().findKind(apiVersion, example.kind())).isNotNull();
        assertThat(FieldValidation.prune(apiVersion, example.kind(), example.object)).isEmpty();
    }

    @Test
    void theShopHasAtLeastFourDeploymentsAndOneOfThemIsRecreated() throws IOException {
        List<Example> shop = deployments().stream().filter(d -> d.file.startsWith(EXAMPLES.resolve("shop"))).toList();

        assertThat(shop).hasSizeGreaterThanOrEqualTo(4);
        assertThat(shop).anyMatch(d -> Json.text(d.object, "spec", "strategy", "type").equals("Recreate"));
        assertThat(deployments()).anyMatch(d -> d.file.startsWith(EXAMPLES.resolve("guestbook")));
    }

    @Test
    void everySelectorSelectsItsOwnTemplate() throws IOException {
        for (Example deployment : deployments()) {
            JsonNode labels = deployment.object.at("/spec/template/metadata/labels");
            deployment.object.at("/spec/selector/matchLabels").properties().forEach(
                    label -> assertThat(labels.get(label.getKey())).as(deployment.toString())
                            .isEqualTo(label.getValue()));
        }
    }

    @Test
    void everyConfigMapAndSecretThatIsReferredToIsThere() throws IOException {
        Set<String> there = new HashSet<>();
        examples().forEach(e -> there.add(e.kind() + " " + Json.text(e.object, "metadata", "name")));
        for (Example deployment : deployments()) {
            for (String field : List.of("configMapRef", "configMapKeyRef", "configMap")) {
                deployment.object.findValues(field).forEach(ref -> assertThat(there).as(deployment.toString())
                        .contains("ConfigMap " + Json.text(ref, "name")));
            }
            for (String field : List.of("secretRef", "secretKeyRef")) {
                deployment.object.findValues(field).forEach(ref -> assertThat(there).as(deployment.toString())
                        .contains("Secret " + Json.text(ref, "name")));
            }
            deployment.object.findValues("serviceAccountName").forEach(name -> assertThat(there)
                    .contains("ServiceAccount " + name.asString()));
        }
    }

    @Test
    void allExamplesTogetherFitOnTwoNodesOfFourCpusAndEightGibibytesEvenDuringARollout() throws IOException {
        BigDecimal cpu = BigDecimal.ZERO;
        BigDecimal memory = BigDecimal.ZERO;
        for (Example deployment : deployments()) {
            if (deployment.file.startsWith(EXAMPLES.resolve("website-operator"))) {
                // Its pod is the operator, which is not run on hollow nodes.
                continue;
            }
            BigDecimal pods = BigDecimal.valueOf(Json.number(deployment.object, 1, "spec", "replicas") + 1);
            for (JsonNode container : deployment.object.at("/spec/template/spec/containers")) {
                cpu = cpu.add(pods.multiply(request(container, "cpu")));
                memory = memory.add(pods.multiply(request(container, "memory")));
            }
        }

        assertThat(cpu).isLessThan(BigDecimal.valueOf(2 * 4));
        assertThat(memory).isLessThan(BigDecimal.valueOf(2 * 8L << 30));
    }

    private static BigDecimal request(JsonNode container, String resource) {
        return Quantity.fromString(Json.text(container, "resources", "requests", resource)).getNumber();
    }
}
