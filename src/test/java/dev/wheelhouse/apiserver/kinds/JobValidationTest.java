package dev.wheelhouse.apiserver.kinds;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The API server refuses Jobs in upstream's words (upstream: {@code pkg/apis/batch/validation}). */
class JobValidationTest {
    private static ObjectNode job(String spec, String status) {
        return (ObjectNode) ModelJson.tree(Yaml.read(
                "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: default}, spec: {%s}, status: {%s}}"
                        .formatted(spec, status),
                Unstructured.class));
    }

    private static List<String> refusals(String spec) {
        Problems problems = new Problems();
        Strategy.check("JobSpec", job(spec
                + " template: {spec: {restartPolicy: Never, containers: [{name: a, image: a,"
                + " imagePullPolicy: Always, terminationMessagePolicy: File}], dnsPolicy: ClusterFirst,"
                + " terminationGracePeriodSeconds: 30}}", "")
                .path("spec"), null, "spec", problems);
        return problems.causes().stream().map(StatusCause::toString).toList();
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/job-specs.txt", delimiter = '|', quoteCharacter = '\'')
    void refusesASpecificationThatContradictsItself(String spec, String refusals) {
        assertThat(String.join("; ", refusals(spec))).isEqualTo(refusals == null ? "" : refusals);
    }

    @Test
    void aFailurePolicyIsBounded() {
        String rule = "{action: Count, onExitCodes: {operator: In, values: [%s]}}"
                .formatted(IntStream.rangeClosed(1, 256).mapToObj(Integer::toString)
                        .collect(Collectors.joining(", ")));
        assertThat(refusals("podFailurePolicy: {rules: [" + rule + ", ".concat(rule).repeat(20) + "]},"))
                .contains("spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items",
                        "spec.podFailurePolicy.rules[0].onExitCodes.values: Too many: 256: must have at most 255 "
                                + "items");
    }

    private static final String INDEXED = "completionMode: Indexed, completions: 5, parallelism: 2, ";

    /** A status with conditions that are true, and other fields. */
    private static String status(String words) {
        if (words == null || words.isEmpty()) {
            return "";
        }
        String conditions = Arrays.stream(words.split(" ")).filter(w -> Character.isUpperCase(w.charAt(0)))
                .map(w -> "{type: " + w.replace("!", "") + ", status: '" + (w.endsWith("!") ? "False" : "True") + "'}")
                .collect(Collectors.joining(", "));
        String fields = Arrays.stream(words.split(" ")).filter(w -> !Character.isUpperCase(w.charAt(0)))
                .map(w -> w.replace("=", ": ").replace(":[", ": [")).collect(Collectors.joining(", "));
        return "conditions: [" + conditions + "]" + (fields.isEmpty() ? "" : ", " + fields);
    }

    private static final String T = "'2026-01-01T12:00:00Z'";

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/job-statuses.txt", delimiter = '|', quoteCharacter = '\'')
    void refusesATransitionOfTheStatusThatNoControllerMayMake(String before, String after, String refusals) {
        Problems problems = new Problems();
        Strategy.check("Job status", job(INDEXED, status(inFull(after))), job(INDEXED, status(inFull(before))), "",
                problems);
        String expected = refusals == null ? "" : refusals.replace(": T:", ": \"2026-01-01T12:00:00Z\":");
        assertThat(problems.causes().stream().map(StatusCause::toString).collect(Collectors.joining("; ")))
                .isEqualTo(expected);
    }

    private static String inFull(String words) {
        return words == null ? "" : words.replace("=T ", "=" + T + " ").replaceAll("=T$", "=" + T);
    }
}
