package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodFailurePolicy;
import io.kubernetes.client.openapi.models.V1SuccessPolicy;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/** The decisions about Jobs, as tables. */
class JobDecisionsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private static V1Job job(String spec, String status) {
        return Yaml.read("""
                {apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: d, uid: u},
                 spec: {backoffLimit: 6, %s template: {spec: {restartPolicy: Never}}}, status: {%s}}"""
                .formatted(spec, status), V1Job.class);
    }

    /**
     * A pod by its letters: A active, R ready, S succeeded, F failed, T terminating; {@code *} for a pod that was
     * counted; then its index.
     */
    private static JobPod pod(String letters, int number) {
        String index = letters.replaceAll("\\D", "");
        String status = switch (letters.charAt(0)) {
            case 'A', 'T' -> "{phase: Running}";
            case 'R' -> "{phase: Running, conditions: [{type: Ready, status: 'True'}]}";
            case 'S' -> "{phase: Succeeded}";
            default -> "{phase: Failed}";
        };
        V1Pod pod = Yaml.read("""
                {metadata: {name: p%1$d, namespace: d, uid: p%1$d, creationTimestamp: '%2$s'%3$s}, status: %4$s}"""
                .formatted(number, NOW, letters.startsWith("T") ? ", deletionTimestamp: '" + NOW + "'" : "", status),
                V1Pod.class);
        return new JobPod(pod, index.isEmpty() ? JobPod.NO_INDEX : Integer.parseInt(index), !letters.contains("*"));
    }

    private static List<JobPod> pods(String letters) {
        List<JobPod> pods = new ArrayList<>();
        for (String pod : letters.isEmpty() ? new String[0] : letters.split(" ", -1)) {
            pods.add(pod(pod, pods.size()));
        }
        return pods;
    }

    private static Assessment assess(String spec, String status, String pods, PodBackoff backoff) {
        return Assessment.of(new JobView(job(spec, status), pods(pods), backoff, NOW));
    }

    private static String show(PodPlan plan) {
        return switch (plan) {
            case PodPlan.Keep keep -> "keep";
            case PodPlan.End end -> "end " + names(end.pods());
            case PodPlan.Remove remove -> "remove " + names(remove.pods());
            case PodPlan.Create create -> "create " + (create.indexes().isEmpty() ? create.count() : create.indexes());
            case PodPlan.Wait wait -> "wait " + wait.delay().toSeconds();
        };
    }

    private static String names(List<JobPod> pods) {
        return pods.stream().map(JobPod::uid).toList().toString();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = true, value = {
            // spec | status | pods | plan
            "parallelism: 3, completions: 5, | '' | '' | create 3",
            "parallelism: 3, completions: 5, | '' | A A | create 1",
            "parallelism: 3, completions: 5, | 'succeeded: 4' | A A | remove [p0]",
            "parallelism: 3, completions: 5, | '' | S S S S A | keep",
            "parallelism: 3, completions: 5, | '' | S S S S A R | remove [p4]",
            "parallelism: 3, completions: 5, | '' | S* S* S* | create 3",
            "parallelism: 3, | '' | '' | create 3", "parallelism: 3, | '' | S A | keep",
            "parallelism: 3, | 'succeeded: 1' | '' | keep",
            "parallelism: 0, completions: 1, | '' | A | remove [p0]",
            "suspend: true, parallelism: 2, completions: 2, | '' | A R | 'remove [p0, p1]'",
            "suspend: true, parallelism: 2, completions: 2, | '' | '' | keep",
            "parallelism: 700, completions: 900, | '' | '' | create 500",
            "parallelism: 2, completions: 2, backoffLimit: 0, | '' | F A | end [p1]",
            "parallelism: 2, completions: 2, | 'conditions: [{type: FailureTarget, status: \"True\"}]' | A | "
                    + "end [p0]",
            "parallelism: 2, completions: 2, podReplacementPolicy: Failed, | '' | A T | keep",
            "parallelism: 2, completions: 2, podReplacementPolicy: TerminatingOrFailed, | 'failed: 1' | A T* "
                    + "| create 1",
            "parallelism: 1, completions: 2, | '' | F | wait 10",
            "parallelism: 1, completions: 2, | '' | F F | wait 20",
            // indexes
            "completionMode: Indexed, parallelism: 2, completions: 4, | '' | '' | 'create [0, 1]'",
            "completionMode: Indexed, parallelism: 2, completions: 4, | 'completedIndexes: 0-1' | A2 | create [3]",
            "completionMode: Indexed, parallelism: 2, completions: 4, | '' | S1 A0 | create [2]",
            "completionMode: Indexed, parallelism: 4, completions: 4, | '' | A0 R0 A1 A2 A3 | remove [p0]",
            "completionMode: Indexed, parallelism: 3, completions: 3, | '' | A0 A7 A | 'remove [p2, p1]'",
            "completionMode: Indexed, parallelism: 3, completions: 3, backoffLimitPerIndex: 1, | '' | F0 | "
                    + "'create [1, 2]'",
            "completionMode: Indexed, parallelism: 1, completions: 1, backoffLimitPerIndex: 1, | '' | F0 | wait 10",
            "completionMode: Indexed, parallelism: 2, completions: 3, backoffLimitPerIndex: 0, | '' | F0 A1 "
                    + "| create [2]",
            "completionMode: Indexed, podReplacementPolicy: Failed, parallelism: 3, completions: 3, | '' | "
                    + "T0 A1 | create [2]"})
    void plansForPods(String spec, String status, String pods, String plan) {
        PodPlan decided = PodPlan.of(assess(spec, status, pods == null ? "" : pods, PodBackoff.NONE));
        assertThat(show(decided)).isEqualTo(plan);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"backoffLimit: 1, | 'failed: 1' | F | BackoffLimitExceeded",
            "backoffLimit: 1, | 'failed: 1' | F* | null", "backoffLimit: 1, | 'failed: 1' | A | null",
            "activeDeadlineSeconds: 60, | 'startTime: \"2026-01-01T11:59:00Z\"' | A | DeadlineExceeded",
            "activeDeadlineSeconds: 61, | 'startTime: \"2026-01-01T11:59:00Z\"' | A | null",
            "'suspend: true, activeDeadlineSeconds: 60,' | 'startTime: \"2026-01-01T11:59:00Z\"' | A | null",
            "'completionMode: Indexed, completions: 2, backoffLimitPerIndex: 0,' | '' | F0 | null",
            "'completionMode: Indexed, completions: 2, backoffLimitPerIndex: 0,' | 'completedIndexes: \"1\"' "
                    + "| F0 | FailedIndexes",
            "'completionMode: Indexed, completions: 9, backoffLimitPerIndex: 0, maxFailedIndexes: 1,' | "
                    + "'failedIndexes: \"4\"' | F0 | MaxFailedIndexesExceeded",
            "'completionMode: Indexed, completions: 9, successPolicy: {rules: [{succeededCount: 2}]},' | "
                    + "'completedIndexes: \"4\"' | S0 | SuccessPolicy",
            // an earlier verdict stands
            "'backoffLimit: 0,' | 'conditions: [{type: SuccessCriteriaMet, status: \"True\", reason: "
                    + "Earlier}]' | F | Earlier",
            "'backoffLimit: 0,' | 'conditions: [{type: FailureTarget, status: \"True\", reason: Earlier}]' | "
                    + "F | Earlier",
            "'backoffLimit: 0,' | 'conditions: [{type: FailureTarget, status: \"False\", reason: Earlier}]' "
                    + "| F | BackoffLimitExceeded"})
    void findsTheReasonWhyAJobEnds(String spec, String status, String pods, String reason) {
        V1JobCondition verdict = assess(spec, status, pods, PodBackoff.NONE).verdict();
        assertThat(verdict == null ? "null" : verdict.getReason()).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "1, 0, 10", "2, 0, 20", "3, 15, 25", "6, 0, 320", "7, 0, 600", "100, 0, 600", "1, 10, 0",
            "1, 11, 0"})
    void theBackoffDoublesFromTenSecondsToTenMinutes(int failures, int elapsed, int remaining) {
        PodBackoff backoff = new PodBackoff(failures, failures == 0 ? null : NOW.minusSeconds(elapsed));
        assertThat(backoff.remaining(NOW)).isEqualTo(Duration.ofSeconds(remaining));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'' | '' | 2@0", "'' | 5 | 3@5", "'' | 5 9 | 4@9", "7 | '' | 0@", "7 | 5 | 0@",
            "7 | 5 9 11 | 2@11", "7 | 7 | 0@"})
    void failuresBeforeTheLastSuccessDoNotCount(String succeeded, String failed, String after) {
        PodBackoff backoff = new PodBackoff(2, NOW).after(endedAt(succeeded), endedAt(failed));
        assertThat(backoff.failures() + "@"
                + (backoff.last() == null ? "" : Duration.between(NOW, backoff.last()).toSeconds())).isEqualTo(after);
    }

    private static List<JobPod> endedAt(String seconds) {
        List<JobPod> pods = new ArrayList<>();
        for (String second : seconds.isEmpty() ? new String[0] : seconds.split(" ", -1)) {
            JobPod pod = pod("F", 0);
            pod.pod().getMetadata()
                    .setCreationTimestamp(NOW.plusSeconds(Integer.parseInt(second)).atOffset(ZoneOffset.UTC));
            pods.addFirst(pod);
        }
        return pods;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            // when the last container ended
            "{containerStatuses: [{state: {terminated: {finishedAt: '2026-01-01T11:00:00Z'}}}, {state: "
                    + "{terminated: {finishedAt: '2026-01-01T11:30:00Z'}}}]} | '' | 2026-01-01T11:30:00Z",
            "{containerStatuses: [{state: {terminated: {finishedAt: '2026-01-01T11:00:00Z'}}}], "
                    + "initContainerStatuses: [{name: side, state: {terminated: {finishedAt: "
                    + "'2026-01-01T11:40:00Z'}}}, {name: init, state: {terminated: {finishedAt: "
                    + "'2026-01-01T11:50:00Z'}}}]} | '' | 2026-01-01T11:40:00Z",
            // when it became unready
            "{containerStatuses: [{state: {running: {}}}], conditions: [{type: Ready, status: 'False', "
                    + "lastTransitionTime: '2026-01-01T11:20:00Z'}]} | '' | 2026-01-01T11:20:00Z",
            // when its deletion began
            "{} | ', deletionTimestamp: \"2026-01-01T11:10:30Z\", deletionGracePeriodSeconds: 30' | "
                    + "2026-01-01T11:10:00Z",
            // when it was created
            "{conditions: [{type: Ready, status: 'True', lastTransitionTime: '2026-01-01T11:20:00Z'}]} | '' "
                    + "| 2026-01-01T10:00:00Z"})
    void aPodEndedWhenItsLastContainerDidOrTheNextBestTime(String status, String meta, Instant end) {
        V1Pod pod = Yaml.read("""
                {metadata: {creationTimestamp: '2026-01-01T10:00:00Z'%s}, status: %s,
                 spec: {initContainers: [{name: init}, {name: side, restartPolicy: Always}]}}"""
                .formatted(meta, status), V1Pod.class);
        assertThat(JobPod.of(pod).finishedAt()).isEqualTo(end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", value = {
            "{action: Ignore, onExitCodes: {operator: In, values: [3]}} | ignored",
            "{action: Ignore, onExitCodes: {operator: In, values: [4]}} | counts",
            "{action: Ignore, onExitCodes: {operator: NotIn, values: [4]}} | ignored",
            "{action: Ignore, onExitCodes: {containerName: main, operator: NotIn, values: [3]}} | counts",
            "{action: Ignore, onExitCodes: {containerName: side, operator: In, values: [3]}} | counts",
            "{action: Ignore, onExitCodes: {containerName: init, operator: In, values: [9]}} | ignored",
            "{action: Ignore, onExitCodes: {operator: NotIn, values: [3, 9]}} | counts",
            "{action: FailIndex, onExitCodes: {operator: In, values: [3]}} | fails its index",
            "{action: Count, onExitCodes: {operator: In, values: [3]}}, {action: Ignore, onExitCodes: "
                    + "{operator: In, values: [3]}} | counts",
            "{action: Unknown, onExitCodes: {operator: In, values: [3]}}, {action: Ignore, onExitCodes: "
                    + "{operator: In, values: [3]}} | ignored",
            "{action: Ignore, onPodConditions: [{type: Gone, status: 'True'}]} | ignored",
            "{action: Ignore, onPodConditions: [{type: Gone, status: 'False'}]} | counts",
            "{action: Count, onExitCodes: {operator: In, values: [8]}}, {action: FailJob, onPodConditions: "
                    + "[{type: Gone, status: 'True'}]} | Pod d/p has condition Gone matching FailJob rule at "
                    + "index 1",
            "{action: FailJob, onExitCodes: {operator: In, values: [3]}} | Container main for pod d/p failed "
                    + "with exit code 3 matching FailJob rule at index 0"})
    void theFirstRuleThatMatchesAFailedPodDecides(String rules, String effect) {
        V1PodFailurePolicy policy = Yaml.read("{rules: [" + rules + "]}", V1PodFailurePolicy.class);
        V1Pod pod = Yaml.read("""
                {metadata: {name: p, namespace: d}, status: {conditions: [{type: Gone, status: 'True'}],
                 initContainerStatuses: [{name: init, state: {terminated: {exitCode: 9}}}],
                 containerStatuses: [{name: side, state: {terminated: {exitCode: 0}}},
                 {name: slow, state: {running: {}}}, {name: main, state: {terminated: {exitCode: 3}}}]}}""",
                V1Pod.class);
        PodFailurePolicy.Match match = PodFailurePolicy.match(policy, pod);
        assertThat(match.message() != null
                ? match.message()
                : match.failsIndex() ? "fails its index" : match.counts() ? "counts" : "ignored").isEqualTo(effect);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", value = {"{succeededCount: 2} | 3,7 | 0",
            "{succeededCount: 3} | 3,7 | null", "{succeededIndexes: '3'} | 3,7 | 0",
            "{succeededIndexes: '3-4'} | 3,7 | null", "{succeededIndexes: '3-8', succeededCount: 2} | 3,7 | 0",
            "{succeededIndexes: '4-8', succeededCount: 2} | 3,7 | null",
            "{succeededIndexes: '1'}, {succeededIndexes: '7'} | 3,7 | 1", "{succeededIndexes: 'x'} | 3,7 | null",
            "{succeededCount: 0} | '' | null"})
    void aSuccessPolicyIsMetByItsFirstRuleThatIs(String rules, String completed, @Nullable Integer rule) {
        V1SuccessPolicy policy = Yaml.read("{rules: [" + rules + "]}", V1SuccessPolicy.class);
        assertThat(SuccessPolicy.match(policy, 10, Indexes.parse(completed, 10)))
                .isEqualTo(rule == null ? null : "Matched rules at index " + rule);
    }

    @Test
    void theStatusNamesFiveHundredPodsAtMost() {
        String many = String.join(" ", Collections.nCopies(700, "S"));
        Assessment assessment = assess("parallelism: 9, completions: 700,", "", many, PodBackoff.NONE);
        Tracking tracking = Tracking.of(assessment, PodPlan.of(assessment), Scaled.unchanged(0, 0, 0));
        assertThat(tracking.status().getUncountedTerminatedPods().getSucceeded()).hasSize(500);
        assertThat(tracking.ended()).hasSize(500);
        assertThat(tracking.verdict()).as("200 pods are to be counted").isNull();
    }

    @Test
    void podsThatWereNamedBeforeAreNotNamedAgain() {
        String named = "uncountedTerminatedPods: {succeeded: [p0], failed: [p1, gone]}, failed: 3";
        Assessment assessment = assess("parallelism: 3, completions: 5,", named, "S F S", PodBackoff.NONE);
        Tracking tracking = Tracking.of(assessment, PodPlan.of(assessment), Scaled.unchanged(0, 0, 0));
        assertThat(tracking.status().getUncountedTerminatedPods().getSucceeded()).containsExactly("p0", "p2");
        assertThat(tracking.status().getUncountedTerminatedPods().getFailed()).containsExactly("p1");
        assertThat(tracking.status().getFailed()).as("the pod that is gone is counted").isEqualTo(4);
    }
}
