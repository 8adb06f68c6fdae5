package dev.wheelhouse.apiserver.kinds;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The API server refuses Jobs in upstream's words (upstream: {@code pkg/apis/batch/validation}). */
class JobValidationTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "j");

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
    @CsvSource(delimiter = '|', value = {"managedBy: 'example.com/x', | ''", "managedBy: 'x', | spec.managedBy: "
            + "Invalid value: \"x\": must be a domain-prefixed path (such as \"acme.io/foo\")",
            "managedBy: '', | spec.managedBy: Required value",
            "managedBy: 'example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', | spec.managedBy: "
                    + "Too long: may not be more than 63 bytes",
            "maxFailedIndexes: 1, completionMode: Indexed, completions: 2, | spec.backoffLimitPerIndex: Required "
                    + "value: when maxFailedIndexes is specified",
            "maxFailedIndexes: 3, backoffLimitPerIndex: 1, completionMode: Indexed, completions: 2, | "
                    + "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions",
            "backoffLimitPerIndex: 1, completionMode: Indexed, completions: 100001, | spec.maxFailedIndexes: "
                    + "Required value: must be specified when completions is above 100000",
            "backoffLimitPerIndex: 1, maxFailedIndexes: 10001, parallelism: 10001, completionMode: Indexed, "
                    + "completions: 100001, | spec.parallelism: Invalid value: 10001: must be less than or equal to "
                    + "10000 when completions are above 100000 and used with backoff limit per index; "
                    + "spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when "
                    + "completions are above 100000 and used with backoff limit per index",
            "completionMode: Other, | spec.completionMode: Unsupported value: \"Other\": supported values: "
                    + "\"NonIndexed\", \"Indexed\"",
            "podReplacementPolicy: Never, | spec.podReplacementPolicy: Unsupported value: \"Never\": supported "
                    + "values: \"Failed\", \"TerminatingOrFailed\"",
            "'podFailurePolicy: {}, podReplacementPolicy: TerminatingOrFailed,' | spec.podReplacementPolicy: "
                    + "Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\"",
            "'completionMode: Indexed, completions: 3, successPolicy: {rules: []},' | spec.successPolicy.rules: "
                    + "Required value: at least one rules must be specified when the successPolicy is specified",
            "'completionMode: Indexed, completions: 3, successPolicy: {rules: [{}]},' | spec.successPolicy.rules[0]: "
                    + "Required value: at least one of succeededCount or succeededIndexes must be specified",
            "'completionMode: Indexed, completions: 3, successPolicy: {rules: [{succeededCount: 4}]},' | "
                    + "spec.successPolicy.rules[0].succeededCount: Invalid value: 4: must be less than or equal to 3 "
                    + "(the number of specified completions)",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededCount: 3, succeededIndexes: "
                    + "\"1,4\"}]},' | spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than "
                    + "or equal to 2 (the number of indexes in the specified succeededIndexes field)",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededIndexes: \"4,1\"}]},' | "
                    + "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"4,1\": error parsing "
                    + "succeededIndexes: non-increasing order, previous: 4, current: 1",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededIndexes: \"1-9\"}]},' | "
                    + "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"1-9\": error parsing "
                    + "succeededIndexes: too large index: \"9\"",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededIndexes: \"1-2-3\"}]},' | "
                    + "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"1-2-3\": error parsing "
                    + "succeededIndexes: the fragment \"1-2-3\" violates the requirement that an index interval can "
                    + "have at most two parts separated by '-'",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededIndexes: \"a\"}]},' | "
                    + "spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"a\": error parsing "
                    + "succeededIndexes: cannot convert string to integer for index: \"a\""})
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
    @CsvSource(delimiter = '|', value = {
            // old status | new status | refusals
            "'' | startTime=T active=2 ready=1 | ''",
            "'' | active=1 ready=2 | status.ready: Invalid value: 2: cannot set more ready pods than active",
            "'' | active=-1 | status.active: Invalid value: -1: must be greater than or equal to 0",
            "startTime=T | startTime=T completionTime=T SuccessCriteriaMet Complete | ''",
            "startTime=T | startTime=T SuccessCriteriaMet Complete | status.completionTime: Required value: "
                    + "completionTime is required for Complete jobs",
            "startTime=T | startTime=T completionTime=T | status.completionTime: Invalid value: T: cannot set "
                    + "completionTime when there is no Complete=True condition",
            "startTime=T | startTime=T completionTime='2026-01-01T11:00:00Z' SuccessCriteriaMet Complete | "
                    + "status.completionTime: Invalid value: \"2026-01-01T11:00:00Z\": must be equal to or after "
                    + "`startTime`",
            "startTime=T | startTime=T completionTime=T Complete | status.conditions: Invalid value: cannot set "
                    + "Complete=True condition without the SuccessCriteriaMet=true condition",
            "startTime=T | startTime=T Failed | status.conditions: Invalid value: cannot set Failed=True condition "
                    + "without the FailureTarget=true condition",
            "startTime=T | startTime=T FailureTarget Failed | ''",
            "startTime=T | startTime=T FailureTarget Failed active=1 | status.active: Invalid value: 1: active>0 is "
                    + "invalid for finished job",
            "startTime=T | startTime=T FailureTarget Failed terminating=1 | status.terminating: Invalid value: 1: "
                    + "terminating>0 is invalid for finished job",
            "startTime=T | startTime=T SuccessCriteriaMet FailureTarget | status.conditions: Invalid value: cannot set "
                    + "SuccessCriteriaMet=True and FailureTarget=true conditions",
            "'' | FailureTarget Failed | status.startTime: Required value: startTime is required for finished job",
            "startTime=T FailureTarget Failed | startTime=T FailureTarget | status.conditions: Invalid value: cannot "
                    + "disable the terminal Failed=True condition",
            "startTime=T SuccessCriteriaMet | startTime=T | status.conditions: Invalid value: cannot disable the "
                    + "SuccessCriteriaMet=True condition",
            "failed=2 succeeded=3 | failed=1 succeeded=2 | status.failed: Invalid value: 1: cannot decrease the failed "
                    + "counter; status.succeeded: Invalid value: 2: cannot decrease the succeeded counter",
            "startTime=T | startTime='2026-01-01T13:00:00Z' | status.startTime: Invalid value: "
                    + "\"2026-01-01T13:00:00Z\": field is immutable for unsuspended job once set",
            "startTime=T Suspended | startTime='2026-01-01T13:00:00Z' Suspended! | ''",
            "'' | completedIndexes='1,3-4' | ''",
            "'' | completedIndexes='1,5' | status.completedIndexes: Invalid value: \"1,5\": error parsing "
                    + "completedIndexes: too large index: \"5\"",
            "'' | completedIndexes='0-2' failedIndexes='2' | status.failedIndexes: Invalid value: \"2\": cannot set "
                    + "non-null failedIndexes when backoffLimitPerIndex is null; status.failedIndexes: Invalid value: "
                    + "\"2\": failedIndexes and completedIndexes overlap at index: 2",
            "completedIndexes='1,9' | completedIndexes='1,9' active=1 | ''",
            "'' | uncountedTerminatedPods={succeeded:[a],failed:[a]} | status.uncountedTerminatedPods.failed[0]: "
                    + "Duplicate value: \"a\"",
            "startTime=T | startTime=T FailureTarget Failed uncountedTerminatedPods={succeeded:[a]} | "
                    + "status.uncountedTerminatedPods: Invalid value: {\"succeeded\":[\"a\"]}: must be empty for "
                    + "finished job"})
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

    // ---- updates, through the server

    private static Unstructured create(Cluster cluster, String spec) {
        return cluster.create(jobs(), Unstructured.class, """
                {apiVersion: batch/v1, kind: Job, metadata: {namespace: default, name: j}, spec: {%s template:
                 {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}}}""", spec);
    }

    private static ResourceType jobs() {
        return ResourceType.JOBS;
    }

    private static void patch(Cluster cluster, String subresource, String body) {
        cluster.user().metadata(jobs()).patch(KEY, subresource, PatchType.MERGE,
                ModelJson.write(Yaml.read(body, JsonNode.class)));
    }

    private static final String PLACED = "{spec: {template: {metadata: {labels: {x: z}}, spec: {nodeSelector: {a: b}, "
            + "affinity: {nodeAffinity: {}}, tolerations: [{operator: Exists}], "
            + "containers: [{name: main, image: app, resources: {limits: {cpu: '1'}}}]}}}}";

    @Test
    void placementAndResourcesOfASuspendedJobMayChangeUnlessItHasActivePods() {
        try (Cluster cluster = new Cluster()) {
            create(cluster, "suspend: true,");
            patch(cluster, "", PLACED);
            assertThatThrownBy(() -> patch(cluster, "", "{spec: {template: {spec: {hostNetwork: true}}}}"))
                    .isInstanceOf(KubeApiException.class).hasMessageContaining("spec.template.spec: Invalid value")
                    .hasMessageContaining("field is immutable");
            patch(cluster, "status", "{status: {startTime: " + T + ", active: 1}}");
            assertThatThrownBy(() -> patch(cluster, "", "{spec: {template: {spec: {nodeSelector: {a: c}}}}}"))
                    .isInstanceOf(KubeApiException.class).hasMessageContaining("spec.template: Invalid value");
            patch(cluster, "status", "{status: {active: 0, conditions: [{type: Suspended, status: 'True'}]}}");
            patch(cluster, "", "{spec: {template: {spec: {nodeSelector: {a: c}}}}}");
        }
    }

    @Test
    void theTemplateOfARunningJobMayNotChange() {
        try (Cluster cluster = new Cluster()) {
            create(cluster, "");
            assertThatThrownBy(() -> patch(cluster, "", PLACED)).isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("spec.template: Invalid value").hasMessageContaining("field is immutable");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "completions: 3 | spec.completions: Invalid value: 3: field is immutable",
            "completionMode: Indexed | spec.completionMode: Invalid value: \"Indexed\": field is immutable",
            "managedBy: a.b/c | spec.managedBy: Invalid value: \"a.b/c\": field is immutable",
            "backoffLimitPerIndex: 1 | field is immutable",
            "'selector: {matchLabels: {x: z}}' | spec.selector: Invalid value"})
    void fieldsThatIdentifyTheWorkMayNotChange(String change, String refusal) {
        try (Cluster cluster = new Cluster()) {
            create(cluster, "");
            assertThatThrownBy(() -> patch(cluster, "", "{spec: {" + change + "}}"))
                    .isInstanceOf(KubeApiException.class)
                    .hasMessageContaining(refusal);
        }
    }

    @Test
    void completionsOfAnIndexedJobChangeInTandemWithParallelism() {
        try (Cluster cluster = new Cluster()) {
            create(cluster, "completionMode: Indexed, completions: 2, parallelism: 2,");
            assertThatThrownBy(() -> patch(cluster, "", "{spec: {completions: 3}}"))
                    .isInstanceOf(KubeApiException.class)
                    .hasMessageContaining("spec.completions: Invalid value: 3: can only be modified in tandem with "
                            + "spec.parallelism");
            patch(cluster, "", "{spec: {completions: 3, parallelism: 3}}");
        }
    }

    @Test
    void labelsThatTheServerGeneratesMayNotBeOthers() {
        try (Cluster cluster = new Cluster()) {
            assertThatThrownBy(() -> cluster.create(jobs(), Unstructured.class, """
                    {apiVersion: batch/v1, kind: Job, metadata: {namespace: default, name: j}, spec: {template:
                     {metadata: {labels: {job-name: other}},
                      spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}}}"""))
                    .isInstanceOf(KubeApiException.class).hasMessageContaining(
                            "spec.template.metadata.labels[job-name]: Invalid value:")
                    .hasMessageContaining("must be 'j'");
        }
    }

    @Test
    void aNewJobIsLabelledAsItsPods() {
        try (Cluster cluster = new Cluster()) {
            create(cluster, "");
            assertThat(cluster.json(jobs(), KEY).at("/metadata/labels").propertyNames())
                    .containsExactlyInAnyOrder("controller-uid", "batch.kubernetes.io/controller-uid", "job-name",
                            "batch.kubernetes.io/job-name");
        }
    }
}
