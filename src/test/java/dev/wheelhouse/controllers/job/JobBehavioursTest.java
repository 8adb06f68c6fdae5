package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assertions of upstream's integration and end-to-end suites about Jobs, with a test that plays the kubelet
 * (upstream: {@code test/integration/job}, {@code test/e2e/apps/job.go}).
 */
class JobBehavioursTest {
    private static final String COMPLETED = "Reached expected number of succeeded pods";

    private final JobSystem system = new JobSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private void create(String name, String spec) {
        system.create(name, spec);
        system.settle();
    }

    private void succeed(String job, int count) {
        system.active(job).stream().limit(count).forEach(system::succeed);
        system.settle();
    }

    private void fail(String job, int count) {
        system.active(job).stream().limit(count).forEach(system::fail);
        system.settle();
    }

    private void expect(String job, String counts) {
        assertThat(system.counts(job)).isEqualTo(counts);
    }

    private void expectNoPodTracked(String job) {
        assertThat(system.pods(job)).noneMatch(system::isTracked);
    }

    private List<String> events() {
        return system.cluster.eventTexts();
    }

    // ---- completions and parallelism

    @Test
    void aJobOfOnePodCompletesWhenItSucceedsAlsoOverARestart() {
        create("once", "");
        system.ready(system.pods("once").getFirst());
        system.settle();
        expect("once", "active 1, ready 1, terminating 0, succeeded 0, failed 0");
        system.restart();
        succeed("once", 1);
        expect("once", "active 0, ready 0, terminating 0, succeeded 1, failed 0");
        assertThat(system.conditions("once")).containsExactly(
                "SuccessCriteriaMet: CompletionsReached: " + COMPLETED, "Complete: CompletionsReached: " + COMPLETED);
        assertThat(system.status("once").getCompletionTime()).isNotNull();
        expectNoPodTracked("once");
        assertThat(events()).containsExactly(
                "Normal SuccessfulCreate Created pod: " + system.pods("once").getFirst().getMetadata().getName(),
                "Normal Completed Job completed");
    }

    @Test
    void onePodCostsFiveWrites() {
        create("once", "");
        succeed("once", 1);
        assertThat(system.cluster.requests.takeWrites().stream().map(w -> w.substring(0, w.indexOf(" default"))))
                .containsExactly("create pods", "update jobs.batch/status", "update jobs.batch/status", "patch pods",
                        "update jobs.batch/status");
    }

    @Test
    void withoutCompletionsParallelPodsRunUntilOneSucceedsAndThenTheOthersMayEnd() {
        create("queue", "parallelism: 5, podReplacementPolicy: TerminatingOrFailed");
        expect("queue", "active 5, ready 0, terminating 0, succeeded 0, failed 0");
        fail("queue", 2);
        system.after(Duration.ofSeconds(20));
        expect("queue", "active 5, ready 0, terminating 0, succeeded 0, failed 2");
        succeed("queue", 1);
        expect("queue", "active 4, ready 0, terminating 0, succeeded 1, failed 2");
        fail("queue", 2);
        expect("queue", "active 2, ready 0, terminating 0, succeeded 1, failed 4");
        succeed("queue", 2);
        expect("queue", "active 0, ready 0, terminating 0, succeeded 3, failed 4");
        assertThat(system.conditions("queue")).contains("Complete: CompletionsReached: " + COMPLETED);
        expectNoPodTracked("queue");
    }

    @Test
    void aJobWithCompletionsNeverRunsMorePodsThanItStillNeeds() {
        create("many", "parallelism: 4, completions: 6");
        succeed("many", 3);
        expect("many", "active 3, ready 0, terminating 0, succeeded 3, failed 0");
        succeed("many", 2);
        expect("many", "active 1, ready 0, terminating 0, succeeded 5, failed 0");
        succeed("many", 1);
        assertThat(system.conditions("many")).contains("Complete: CompletionsReached: " + COMPLETED);
        assertThat(system.pods("many")).hasSize(6);
    }

    @Test
    void aChangeOfParallelismCreatesAndDeletesPodsWithoutCountingThem() {
        create("wide", "parallelism: 5, completions: 10");
        system.active("wide").stream().limit(2).forEach(system::ready);
        system.settle();
        system.patch("wide", "{\"spec\": {\"parallelism\": 2}}");
        system.settle();
        expect("wide", "active 2, ready 2, terminating 0, succeeded 0, failed 0");
        system.patch("wide", "{\"spec\": {\"parallelism\": 4}}");
        system.settle();
        expect("wide", "active 4, ready 2, terminating 0, succeeded 0, failed 0");
    }

    @Test
    void parallelismZeroStopsAJobWithoutSuspendingIt() {
        create("none", "parallelism: 0, completions: 1");
        expect("none", "active 0, ready 0, terminating 0, succeeded 0, failed 0");
        assertThat(system.conditions("none")).isEmpty();
    }

    @Test
    void moreSuccessesThanCompletionsAreReported() {
        create("few", "parallelism: 3, completions: 3");
        system.patch("few", "{\"spec\": {\"completions\": 3}}");
        system.cluster.create(ResourceType.PODS, extraPod(system.job("few")));
        system.pods("few").forEach(system::succeed);
        system.settle();
        expect("few", "active 0, ready 0, terminating 0, succeeded 4, failed 0");
        assertThat(events()).contains(
                "Warning TooManySucceededPods Too many succeeded pods running after completion count reached");
    }

    private static V1Pod extraPod(V1Job job) {
        V1Pod pod = Manifests.pod("extra", job.getSpec().getTemplate().getMetadata().getLabels());
        pod.getMetadata().addFinalizersItem(JobPod.FINALIZER)
                .addOwnerReferencesItem(OwnerReferences.controllerReference(ResourceType.JOBS, job.getMetadata()));
        return pod;
    }

    @Test
    void podsAreCreatedInGrowingBatchesAndAFailureSkipsTheRest() {
        system.cluster.requests.fault(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create", 403, "Forbidden", "exceeded quota", null)));
        system.create("refused", "parallelism: 20, completions: 20");
        system.cluster.settle(system.loops());
        assertThat(system.cluster.requests.takeWrites().stream().filter(w -> w.startsWith("create pods"))).hasSize(1);
        assertThat(events()).containsExactly("Warning FailedCreate Error creating: exceeded quota");
        system.cluster.requests.noFault();
        system.settle();
        expect("refused", "active 20, ready 0, terminating 0, succeeded 0, failed 0");
    }

    @Tag("full")
    @Test
    void aSyncCreatesFiveHundredPodsAtMost() {
        system.create("crowd", "parallelism: 600, completions: 600");
        system.cluster.settle(system.loops());
        assertThat(system.pods("crowd")).hasSize(500);
        system.settle();
        assertThat(system.pods("crowd")).hasSize(600);
        system.active("crowd").forEach(system::succeed);
        system.settle();
        expect("crowd", "active 0, ready 0, terminating 0, succeeded 600, failed 0");
        assertThat(system.conditions("crowd")).contains("Complete: CompletionsReached: " + COMPLETED);
    }

    // ---- failures and backoff

    @Test
    void failedPodsAreReplacedAfterTenSecondsDoubledByEachFailure() {
        create("flaky", "");
        for (int seconds : List.of(10, 20, 40, 80)) {
            fail("flaky", 1);
            expect("flaky", system.counts("flaky").replaceFirst("active \\d", "active 0"));
            system.after(Duration.ofSeconds(seconds - 7));
            assertThat(system.active("flaky")).as("before %s s", seconds).isEmpty();
            system.after(Duration.ofSeconds(7));
            assertThat(system.active("flaky")).as("after %s s", seconds).hasSize(1);
        }
    }

    @Test
    void aSuccessResetsTheBackoff() {
        create("uneven", "completions: 3, parallelism: 1");
        fail("uneven", 1);
        system.after(Duration.ofSeconds(10));
        fail("uneven", 1);
        system.after(Duration.ofSeconds(20));
        succeed("uneven", 1);
        assertThat(system.active("uneven")).hasSize(1);
        fail("uneven", 1);
        system.after(Duration.ofSeconds(10));
        assertThat(system.active("uneven")).hasSize(1);
    }

    @Test
    void whileAFailedPodWaitsForItsReplacementReadyPodsKeepTheStatusAsItIs() {
        create("pair", "parallelism: 2, completions: 4");
        List<V1Pod> pods = system.pods("pair");
        system.ready(pods.getFirst());
        system.settle();
        system.cluster.requests.takeWrites();
        system.fail(pods.getLast());
        system.settle();
        expect("pair", "active 2, ready 1, terminating 0, succeeded 0, failed 0");
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
        system.after(Duration.ofSeconds(10));
        expect("pair", "active 2, ready 1, terminating 0, succeeded 0, failed 1");
    }

    @Test
    void moreFailuresThanTheBackoffLimitFailTheJobAndFreeAllPods() {
        create("doomed", "backoffLimit: 1, parallelism: 3, completions: 5");
        system.ready(system.active("doomed").getLast());
        system.active("doomed").stream().limit(2).forEach(system::fail);
        system.settle();
        assertThat(system.conditions("doomed"))
                .containsExactly("FailureTarget: BackoffLimitExceeded: Job has reached the specified backoff limit");
        expect("doomed", "active 0, ready 0, terminating 1, succeeded 0, failed 3");
        system.endDeletion(system.pods("doomed").stream().filter(system::exists)
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null).findFirst().orElseThrow());
        system.settle();
        assertThat(system.conditions("doomed"))
                .contains("Failed: BackoffLimitExceeded: Job has reached the specified backoff limit");
        expect("doomed", "active 0, ready 0, terminating 0, succeeded 0, failed 3");
        expectNoPodTracked("doomed");
        assertThat(events())
                .contains("Warning BackoffLimitExceeded Job has reached the specified backoff limit");
    }

    @Test
    void backoffLimitZeroFailsTheJobByItsFirstFailure() {
        create("strict", "backoffLimit: 0");
        fail("strict", 1);
        assertThat(system.conditions("strict"))
                .contains("Failed: BackoffLimitExceeded: Job has reached the specified backoff limit");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 2"})
    void restartsOfContainersCountTowardsTheLimitOfAJobThatRestartsThem(int limit, int restarts) {
        create("restarting", "backoffLimit: " + limit
                + ", template: {spec: {restartPolicy: OnFailure, containers: [{name: main, image: app}]}}");
        V1Pod pod = system.active("restarting").getFirst();
        system.ready(pod);
        restarts(pod, restarts - 1);
        system.settle();
        assertThat(system.conditions("restarting")).isEmpty();
        restarts(pod, restarts);
        system.settle();
        assertThat(system.conditions("restarting"))
                .contains("FailureTarget: BackoffLimitExceeded: Job has reached the specified backoff limit");
    }

    private void restarts(V1Pod pod, int count) {
        system.cluster.user().metadata(ResourceType.PODS).patch(ObjectKey.of(pod), "status", PatchType.MERGE, """
                {"status": {"containerStatuses": [{"name": "main", "image": "app", "imageID": "", "ready": false,
                 "restartCount": %d, "state": {"running": {}}}]}}""".formatted(count));
    }

    @Test
    void anActiveDeadlineFailsTheJobWhenItHasPassed() {
        create("late", "activeDeadlineSeconds: 60, parallelism: 2, completions: 2");
        system.after(Duration.ofSeconds(55));
        assertThat(system.conditions("late")).isEmpty();
        system.after(Duration.ofSeconds(5));
        assertThat(system.conditions("late")).containsExactly(
                "FailureTarget: DeadlineExceeded: Job was active longer than specified deadline",
                "Failed: DeadlineExceeded: Job was active longer than specified deadline");
        expect("late", "active 0, ready 0, terminating 0, succeeded 0, failed 2");
        assertThat(events()).contains("Warning DeadlineExceeded Job was active longer than specified deadline");
    }

    @Test
    void anActiveDeadlineThatIsAddedLaterCountsFromTheStart() {
        create("late", "");
        system.after(Duration.ofSeconds(30));
        system.patch("late", "{\"spec\": {\"activeDeadlineSeconds\": 40}}");
        system.settle();
        assertThat(system.conditions("late")).isEmpty();
        system.after(Duration.ofSeconds(8));
        assertThat(system.conditions("late"))
                .contains("Failed: DeadlineExceeded: Job was active longer than specified deadline");
    }

    @Test
    void evictedAndDeletedPodsCountAsFailures() {
        create("interrupted", "parallelism: 2, completions: 2");
        system.fail(system.active("interrupted").getFirst(), "DisruptionTarget");
        system.delete(system.active("interrupted").getLast());
        system.settle();
        expect("interrupted", "active 0, ready 0, terminating 0, succeeded 0, failed 2");
        system.after(Duration.ofSeconds(20));
        expect("interrupted", "active 2, ready 0, terminating 0, succeeded 0, failed 2");
    }

    // ---- indexes

    @Test
    void anIndexedJobCompletesOncePerIndex() {
        create("array", "completionMode: Indexed, parallelism: 3, completions: 5");
        assertThat(system.activeIndexes("array")).containsExactly(0, 1, 2);
        system.succeed(system.pod("array", 1));
        system.settle();
        assertThat(system.status("array").getCompletedIndexes()).isEqualTo("1");
        assertThat(system.activeIndexes("array")).containsExactly(0, 2, 3);
        system.fail(system.pod("array", 0));
        system.succeed(system.pod("array", 2));
        system.settle();
        assertThat(system.status("array").getCompletedIndexes()).isEqualTo("1,2");
        system.after(Duration.ofSeconds(10));
        assertThat(system.activeIndexes("array")).containsExactly(0, 3, 4);
        succeed("array", 3);
        assertThat(system.status("array").getCompletedIndexes()).isEqualTo("0-4");
        expect("array", "active 0, ready 0, terminating 0, succeeded 5, failed 1");
        assertThat(system.conditions("array")).contains("Complete: CompletionsReached: " + COMPLETED);
    }

    @Test
    void podsOfAnIndexCarryItInNameHostnameAnnotationLabelAndVariable() {
        create("array", "completionMode: Indexed, completions: 1");
        V1Pod pod = system.pod("array", 0);
        assertThat(pod.getMetadata().getGenerateName()).isEqualTo("array-0-");
        assertThat(pod.getSpec().getHostname()).isEqualTo("array-0");
        assertThat(pod.getMetadata().getLabels()).containsEntry(JobPod.INDEX, "0");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry(JobPod.INDEX, "0");
        assertThat(pod.getSpec().getContainers().getFirst().getEnv()).singleElement().satisfies(variable -> {
            assertThat(variable.getName()).isEqualTo("JOB_COMPLETION_INDEX");
            assertThat(variable.getValueFrom().getFieldRef().getFieldPath())
                    .isEqualTo("metadata.labels['batch.kubernetes.io/job-completion-index']");
        });
        assertThat(system.job("array").getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv())
                .isNullOrEmpty();
    }

    @Test
    void podsOfOneIndexAndPodsWithoutAValidOneAreDeletedAsSurplus() {
        create("array", "completionMode: Indexed, parallelism: 2, completions: 2");
        for (String index : List.of("1", "7", "x")) {
            V1Pod pod = extraPod(system.job("array"));
            pod.getMetadata().name("extra-" + index).annotations(Map.of(JobPod.INDEX, index));
            system.cluster.create(ResourceType.PODS, pod);
        }
        system.settle();
        assertThat(system.activeIndexes("array")).containsExactly(0, 1);
        expect("array", "active 2, ready 0, terminating 0, succeeded 0, failed 0");
    }

    @Test
    void anElasticIndexedJobGrowsAndShrinksByItsIndexes() {
        create("elastic", "completionMode: Indexed, parallelism: 3, completions: 3");
        system.succeed(system.pod("elastic", 2));
        system.settle();
        resize("elastic", 2);
        assertThat(system.status("elastic").getCompletedIndexes()).isNull();
        expect("elastic", "active 2, ready 0, terminating 0, succeeded 0, failed 0");
        resize("elastic", 4);
        assertThat(system.activeIndexes("elastic")).containsExactly(0, 1, 2, 3);
        resize("elastic", 1);
        assertThat(system.activeIndexes("elastic")).containsExactly(0);
        resize("elastic", 0);
        assertThat(system.conditions("elastic")).contains("Complete: CompletionsReached: " + COMPLETED);
    }

    private void resize(String job, int size) {
        system.patch(job, "{\"spec\": {\"parallelism\": %1$d, \"completions\": %1$d}}".formatted(size));
        system.settle();
    }

    // ---- backoff limit per index

    @Test
    void anIndexFailsAfterItsOwnLimitAndTheOthersGoOn() {
        create("array", "completionMode: Indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 1");
        assertThat(system.annotations(system.pod("array", 0))).containsEntry(JobPod.FAILURES, "0");
        assertThat(system.status("array").getFailedIndexes()).isEmpty();
        V1Pod first = system.pod("array", 0);
        system.fail(first);
        system.settle();
        assertThat(system.isTracked(first)).as("the finalizer stays until the replacement exists").isTrue();
        expect("array", "active 0, ready 0, terminating 0, succeeded 0, failed 0");
        system.after(Duration.ofSeconds(10));
        assertThat(system.annotations(system.pod("array", 0))).containsEntry(JobPod.FAILURES, "1");
        assertThat(system.isTracked(first)).isFalse();
        expect("array", "active 2, ready 0, terminating 0, succeeded 0, failed 1");
        system.fail(system.pod("array", 0));
        system.settle();
        assertThat(system.status("array").getFailedIndexes()).isEqualTo("0");
        succeed("array", 1);
        assertThat(system.status("array").getCompletedIndexes()).isEqualTo("1");
        assertThat(system.conditions("array")).contains("Failed: FailedIndexes: Job has failed indexes");
        expect("array", "active 0, ready 0, terminating 0, succeeded 1, failed 2");
    }

    @Test
    void theBackoffOfAnIndexDoublesAndSurvivesARestart() {
        create("array", "completionMode: Indexed, parallelism: 1, completions: 1, backoffLimitPerIndex: 3");
        system.fail(system.pod("array", 0));
        system.settle();
        system.after(Duration.ofSeconds(10));
        system.fail(system.pod("array", 0));
        system.settle();
        system.restart();
        system.settle();
        system.after(Duration.ofSeconds(12));
        assertThat(system.active("array")).isEmpty();
        system.after(Duration.ofSeconds(8));
        assertThat(system.annotations(system.pod("array", 0))).containsEntry(JobPod.FAILURES, "2");
    }

    @Test
    void moreFailedIndexesThanAllowedFailTheJob() {
        create("array", "completionMode: Indexed, parallelism: 3, completions: 3, backoffLimitPerIndex: 0, "
                + "maxFailedIndexes: 1");
        system.fail(system.pod("array", 0));
        system.settle();
        assertThat(system.conditions("array")).isEmpty();
        system.fail(system.pod("array", 2));
        system.settle();
        assertThat(system.status("array").getFailedIndexes()).isEqualTo("0,2");
        assertThat(system.conditions("array")).contains("Failed: MaxFailedIndexesExceeded: "
                + "Job has exceeded the specified maximal number of failed indexes");
    }

    @Test
    void aFailedPodThatNeverGetsAReplacementDoesNotKeepItsNamespace() {
        create("array", "completionMode: Indexed, completions: 1, backoffLimitPerIndex: 3");
        V1Pod pod = system.pod("array", 0);
        system.fail(pod);
        system.settle();
        system.cluster.requests.fault(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create", 403, "Forbidden",
                        "unable to create new content in namespace default "
                                + "because it is being terminated",
                        null)));
        system.after(Duration.ofSeconds(10));
        assertThat(system.isTracked(pod)).isFalse();
        expect("array", "active 1, ready 0, terminating 0, succeeded 0, failed 1");
    }

    // ---- pod failure policy

    private static final String POLICY = "podFailurePolicy: {rules: [%s]}, ";
    private static final String FAIL_JOB = "{action: FailJob, onExitCodes: {operator: In, values: [5]}}";
    private static final String IGNORE = "{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}";

    @Test
    void anExitCodeOfThePolicyFailsTheJobAtOnceEvenIfItsPodIsDeletedDuringARestart() {
        create("policy", POLICY.formatted(FAIL_JOB) + "parallelism: 2, completions: 4");
        V1Pod pod = system.active("policy").getFirst();
        system.fail(pod, 5);
        system.delete(pod);
        system.restart();
        system.settle();
        String message = "Container main for pod default/" + pod.getMetadata().getName()
                + " failed with exit code 5 matching FailJob rule at index 0";
        assertThat(system.conditions("policy")).containsExactly("FailureTarget: PodFailurePolicy: " + message,
                "Failed: PodFailurePolicy: " + message);
        expect("policy", "active 0, ready 0, terminating 0, succeeded 0, failed 2");
    }

    @Test
    void ignoredFailuresCountNowhere() {
        create("policy", POLICY.formatted(IGNORE) + "backoffLimit: 0");
        V1Pod pod = system.active("policy").getFirst();
        system.fail(pod, "DisruptionTarget");
        system.settle();
        system.after(Duration.ofSeconds(10));
        expect("policy", "active 1, ready 0, terminating 0, succeeded 0, failed 0");
        assertThat(system.isTracked(pod)).isFalse();
    }

    @Test
    void aPolicyCountsAFailureWhoseRuleSaysSoAndOneThatNoRuleMatches() {
        create("policy", POLICY.formatted("{action: Count, onExitCodes: {operator: In, values: [3]}}, "
                + "{action: FailJob, onExitCodes: {operator: NotIn, values: [4]}}") + "parallelism: 2, completions: 4");
        system.fail(system.active("policy").getFirst(), 3);
        system.fail(system.active("policy").getFirst(), 4);
        system.settle();
        system.after(Duration.ofSeconds(20));
        expect("policy", "active 2, ready 0, terminating 0, succeeded 0, failed 2");
        assertThat(system.conditions("policy")).isEmpty();
    }

    @Test
    void aPolicyMayFailAnIndexBeforeItsLimit() {
        create("policy", POLICY.formatted("{action: FailIndex, onExitCodes: {operator: In, values: [5]}}")
                + "completionMode: Indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 4");
        system.fail(system.pod("policy", 1), 5);
        system.settle();
        assertThat(system.status("policy").getFailedIndexes()).isEqualTo("1");
        expect("policy", "active 1, ready 0, terminating 0, succeeded 0, failed 1");
    }

    @Test
    void ignoredFailuresOfAnIndexAreCountedInAnAnnotationOfTheirOwn() {
        create("policy", POLICY.formatted(IGNORE) + "completionMode: Indexed, completions: 1, backoffLimitPerIndex: 1");
        system.fail(system.pod("policy", 0), "DisruptionTarget");
        system.settle();
        system.after(Duration.ofSeconds(10));
        assertThat(system.annotations(system.pod("policy", 0))).containsEntry(JobPod.FAILURES, "0")
                .containsEntry(JobPod.IGNORED_FAILURES, "1");
    }

    // ---- success policy

    private static final String ARRAY_OF_5 = "completionMode: Indexed, parallelism: 5, completions: 5, ";

    @ParameterizedTest
    @CsvSource(delimiter = ';',
            value = {"{succeededIndexes: '1,3'}; 1 3; true", "{succeededIndexes: '1,3'}; 1 2; false",
                    "{succeededCount: 2}; 0 4; true", "{succeededCount: 2}; 4; false",
                    "{succeededIndexes: '1-4', succeededCount: 2}; 2 4; true",
                    "{succeededIndexes: '1-4', succeededCount: 2}; 0 2; false",
                    "{succeededCount: 4}, {succeededIndexes: '0'}; 0; true"})
    void aSuccessPolicyEndsAJobEarly(String rules, String succeeding, boolean met) {
        create("early", ARRAY_OF_5 + "successPolicy: {rules: [" + rules + "]}");
        for (String index : succeeding.split(" ", -1)) {
            system.succeed(system.pod("early", Integer.parseInt(index)));
        }
        system.settle();
        String message = "SuccessPolicy: Matched rules at index " + (rules.contains("}, {") ? 1 : 0);
        if (met) {
            assertThat(system.conditions("early")).containsExactly("SuccessCriteriaMet: " + message,
                    "Complete: " + message);
            expect("early", "active 0, ready 0, terminating 0, succeeded %d, failed 0"
                    .formatted(succeeding.split(" ", -1).length));
            expectNoPodTracked("early");
        } else {
            assertThat(system.conditions("early")).isEmpty();
        }
    }

    @Test
    void aJobThatMetItsCriteriaCompletesThoughAPodFailsMeanwhile() {
        create("early", ARRAY_OF_5 + "backoffLimit: 0, successPolicy: {rules: [{succeededCount: 1}]}");
        system.active("early").forEach(system::ready);
        system.succeed(system.pod("early", 0));
        system.settle();
        assertThat(system.conditions("early"))
                .containsExactly("SuccessCriteriaMet: SuccessPolicy: Matched rules at index 0");
        expect("early", "active 0, ready 0, terminating 4, succeeded 1, failed 0");
        system.pods("early").stream().filter(system::exists)
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null).forEach(system::endDeletion);
        system.settle();
        assertThat(system.conditions("early")).contains("Complete: SuccessPolicy: Matched rules at index 0");
    }

    // ---- replacement of pods that are being deleted

    @ParameterizedTest
    @CsvSource({"TerminatingOrFailed, 1, 1", "Failed, 0, 0"})
    void aTerminatingPodIsReplacedAtOnceOrOnlyWhenItHasEnded(String policy, int activeMeanwhile, int failedMeanwhile) {
        create("replaced", "podReplacementPolicy: " + policy);
        V1Pod pod = system.active("replaced").getFirst();
        system.ready(pod);
        system.settle();
        system.delete(pod);
        system.settle();
        system.after(Duration.ofSeconds(10));
        expect("replaced", "active %d, ready 0, terminating 1, succeeded 0, failed %d".formatted(activeMeanwhile,
                failedMeanwhile));
        system.endDeletion(pod);
        system.settle();
        system.after(Duration.ofSeconds(10));
        expect("replaced", "active 1, ready 0, terminating 0, succeeded 0, failed 1");
        assertThat(system.exists(pod)).isFalse();
    }

    @Test
    void anIndexWhosePodIsTerminatingIsNotTakenTwice() {
        create("replaced", "podReplacementPolicy: Failed, completionMode: Indexed, parallelism: 2, completions: 3");
        V1Pod pod = system.pod("replaced", 0);
        system.ready(pod);
        system.delete(pod);
        system.succeed(system.pod("replaced", 1));
        system.settle();
        assertThat(system.activeIndexes("replaced")).containsExactly(2);
        system.endDeletion(pod);
        system.settle();
        system.after(Duration.ofSeconds(10));
        assertThat(system.activeIndexes("replaced")).containsExactly(0, 2);
    }

    // ---- suspension

    @Test
    void suspendingDeletesThePodsWithoutCountingThemAndResumingStartsTheTimeAgain() {
        create("paused", "parallelism: 2, completions: 2");
        OffsetDateTime started = system.status("paused").getStartTime();
        system.suspend("paused", true);
        system.settle();
        expect("paused", "active 0, ready 0, terminating 0, succeeded 0, failed 0");
        assertThat(system.conditions("paused")).containsExactly("Suspended: JobSuspended: Job suspended");
        assertThat(system.status("paused").getStartTime()).isNull();
        assertThat(system.pods("paused")).isEmpty();
        system.after(Duration.ofMinutes(1));
        system.suspend("paused", false);
        system.settle();
        expect("paused", "active 2, ready 0, terminating 0, succeeded 0, failed 0");
        assertThat(system.allConditions("paused")).singleElement().satisfies(condition -> {
            assertThat(condition.getStatus()).isEqualTo("False");
            assertThat(condition.getReason()).isEqualTo("JobResumed");
            assertThat(condition.getMessage()).isEqualTo("Job resumed");
        });
        assertThat(system.status("paused").getStartTime()).isAfter(started);
        assertThat(events()).filteredOn(event -> event.contains("Job ")).containsExactly(
                "Normal Suspended Job suspended", "Normal Resumed Job resumed");
    }

    @Test
    void aJobThatIsCreatedSuspendedStartsWhenItIsResumedAlsoOverARestart() {
        create("paused", "suspend: true, activeDeadlineSeconds: 30");
        assertThat(system.status("paused").getStartTime()).isNull();
        assertThat(system.conditions("paused")).containsExactly("Suspended: JobSuspended: Job suspended");
        system.restart();
        system.after(Duration.ofMinutes(1));
        assertThat(system.pods("paused")).isEmpty();
        system.suspend("paused", false);
        system.settle();
        assertThat(system.active("paused")).hasSize(1);
        assertThat(system.allConditions("paused")).extracting(V1JobCondition::getStatus).containsExactly("False");
    }

    @Test
    void aSuspendedJobOfNoCompletionsCompletes() {
        create("empty", "suspend: true, parallelism: 2, completions: 0");
        assertThat(system.conditions("empty")).contains("Complete: CompletionsReached: " + COMPLETED);
        assertThat(system.status("empty").getStartTime()).isNull();
    }

    // ---- counting

    @ParameterizedTest
    @ValueSource(strings = {"NonIndexed", "Indexed"})
    void noPodIsCountedTwiceOrLostWhereverTheControllerCrashes(String mode) {
        int writes = crashAt(mode, Integer.MAX_VALUE);
        assertThat(writes).isGreaterThan(10);
        for (int point = 1; point <= writes; point++) {
            crashAt(mode, point);
        }
    }

    /** Runs a Job of two failures and three successes; the write number {@code point} gets no answer, and a crash. */
    private int crashAt(String mode, int point) {
        List<String> writes = new ArrayList<>();
        try (JobSystem world = new JobSystem()) {
            Set<String> verbs = Set.of("create", "update", "patch", "delete");
            world.cluster.requests.fault(Requests.Fault.afterwards((verb, type, key) -> {
                if (!verbs.contains(verb)) {
                    return null;
                }
                writes.add(verb + " " + type);
                return writes.size() == point ? new KubeApiException(verb, new RuntimeException("lost")) : null;
            }));
            world.create("crashing", "parallelism: 3, completions: 3, completionMode: " + mode);
            boolean crashed = false;
            for (int round = 0; round < 12; round++) {
                world.settle();
                if (!crashed && writes.size() >= point) {
                    world.restart();
                    world.settle();
                    crashed = true;
                }
                List<V1Pod> active = world.active("crashing");
                assertThat(active).as("point %d", point).hasSizeLessThanOrEqualTo(3);
                if (round == 1) {
                    active.stream().limit(2).forEach(world::fail);
                } else if (round > 1) {
                    active.stream().limit(1).forEach(world::succeed);
                }
                world.after(Duration.ofSeconds(30));
            }
            assertThat(world.counts("crashing")).as("%s, point %d", mode, point)
                    .isEqualTo("active 0, ready 0, terminating 0, succeeded 3, failed 2");
            assertThat(world.conditions("crashing")).contains("Complete: CompletionsReached: " + COMPLETED);
            assertThat(world.pods("crashing")).as("point %d", point).hasSize(5).noneMatch(world::isTracked);
        }
        return writes.size();
    }

    @Test
    void aPodThatIsGoneBeforeItsFinalizerIsRemovedCountsOnce() {
        create("vanishing", "completions: 2");
        V1Pod pod = system.active("vanishing").getFirst();
        system.succeed(pod);
        system.cluster.requests.fault((verb, type, key) -> {
            if (verb.equals("patch")) {
                system.cluster.remove(ResourceType.PODS, key);
                system.cluster.requests.noFault();
            }
            return null;
        });
        system.settle();
        expect("vanishing", "active 1, ready 0, terminating 0, succeeded 1, failed 0");
    }

    @Test
    void aPodWhoseFinalizerCannotBeRemovedStaysUncountedUntilItCan() {
        create("stuck", "parallelism: 2, completions: 2");
        system.cluster.requests.failNext("patch pods default/" + system.active("stuck").getFirst().getMetadata()
                .getName(), 500, "InternalError", "no");
        system.active("stuck").forEach(system::succeed);
        system.cluster.deliver();
        system.cluster.clock.advance(Duration.ofSeconds(1));
        system.cluster.settle(system.loops());
        assertThat(system.status("stuck").getSucceeded()).isEqualTo(1);
        assertThat(system.status("stuck").getUncountedTerminatedPods().getSucceeded()).hasSize(1);
        assertThat(system.conditions("stuck")).doesNotContain("Complete: CompletionsReached: " + COMPLETED);
        system.settle();
        expect("stuck", "active 0, ready 0, terminating 0, succeeded 2, failed 0");
        assertThat(system.conditions("stuck")).contains("Complete: CompletionsReached: " + COMPLETED);
    }

    @Test
    void podsThatNoJobCountsLoseTheFinalizer() {
        create("gone", "parallelism: 2, completions: 2");
        List<V1Pod> pods = system.pods("gone");
        system.delete("gone", "Background");
        system.settle();
        assertThat(pods).allMatch(system::exists).noneMatch(system::isTracked);
    }

    @Test
    void podsThatWereOrphanedLoseTheFinalizerAlsoAfterARestart() {
        create("gone", "parallelism: 2, completions: 2");
        List<V1Pod> pods = system.pods("gone");
        system.cluster.forgetCaches();
        system.cluster.remove(ResourceType.JOBS, JobSystem.key("gone"));
        pods.forEach(pod -> system.editPod(pod, p -> p.getMetadata().setOwnerReferences(null)));
        system.restart();
        system.settle();
        assertThat(pods).allMatch(system::exists).noneMatch(system::isTracked);
    }

    @Test
    void aDeletedJobFreesItsRunningPodsBeforeItGoes() {
        create("leaving", "parallelism: 2, completions: 2");
        List<V1Pod> pods = system.pods("leaving");
        system.delete("leaving", "Foreground");
        system.settle();
        assertThat(pods).noneMatch(system::isTracked);
        assertThat(system.pods("leaving")).hasSize(2);
        expect("leaving", "active 2, ready 0, terminating 0, succeeded 0, failed 0");
    }

    @Test
    void aJobOfTheSameNameStartsAfreshAtOnce() {
        create("again", "");
        fail("again", 1);
        List<V1Pod> old = system.pods("again");
        system.cluster.remove(ResourceType.JOBS, JobSystem.key("again"));
        create("again", "");
        expect("again", "active 1, ready 0, terminating 0, succeeded 0, failed 0");
        assertThat(old).noneMatch(system::isTracked);
    }

    // ---- adoption, other managers

    @Test
    void itAdoptsMatchingOrphansAndReleasesPodsThatNoLongerMatch() {
        create("adopting", "parallelism: 1, completions: 2");
        V1Pod pod = system.active("adopting").getFirst();
        system.editPod(pod, p -> p.getMetadata().ownerReferences(null).finalizers(null));
        system.settle();
        V1Pod adopted = system.active("adopting").getFirst();
        assertThat(adopted.getMetadata().getName()).isEqualTo(pod.getMetadata().getName());
        assertThat(system.isTracked(adopted)).isTrue();
        system.editPod(pod, p -> p.getMetadata().setLabels(Map.of("other", "label")));
        system.settle();
        V1ObjectMeta released = system.cluster.read(ResourceType.PODS, ObjectKey.of(pod), V1Pod.class).getMetadata();
        assertThat(OwnerReferences.controllerOf(released)).isNull();
        assertThat(system.isTracked(pod)).isFalse();
        assertThat(system.active("adopting")).hasSize(1);
    }

    @Test
    void aJobOfAnotherManagerIsLeftAlone() {
        create("theirs", "managedBy: example.com/other");
        assertThat(system.pods("theirs")).isEmpty();
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
        V1Pod pod = extraPod(system.job("theirs"));
        system.cluster.create(ResourceType.PODS, pod);
        system.delete(pod);
        system.settle();
        assertThat(system.isTracked(pod)).as("the other manager counts it").isTrue();
    }

    @Test
    void aJobThatNamesThisManagerIsRun() {
        create("ours", "managedBy: kubernetes.io/job-controller");
        assertThat(system.active("ours")).hasSize(1);
    }

    @Test
    void aPodWithTheFinalizerAndAnOwnerOfAnotherKindIsLeftAlone() {
        V1Pod pod = Manifests.pod("foreign", Map.of("app", "x"));
        pod.getMetadata().addFinalizersItem(JobPod.FINALIZER).addOwnerReferencesItem(new V1OwnerReference()
                .apiVersion("example.com/v1").kind("Task").name("task").uid("42").controller(true));
        system.cluster.create(ResourceType.PODS, pod);
        system.delete(pod);
        system.settle();
        assertThat(system.isTracked(pod)).isTrue();
    }

    // ---- status

    @Test
    void readyPodsAreCounted() {
        create("serving", "parallelism: 3, completions: 3");
        system.active("serving").stream().limit(2).forEach(system::ready);
        system.settle();
        expect("serving", "active 3, ready 2, terminating 0, succeeded 0, failed 0");
        system.editPod(system.active("serving").getFirst(), p -> p.setStatus(new V1PodStatus().phase("Running")));
        system.settle();
        expect("serving", "active 3, ready 1, terminating 0, succeeded 0, failed 0");
    }

    @Test
    void changesOfPodsWithinASecondCostOneSync() {
        create("batched", "parallelism: 4, completions: 4");
        system.cluster.requests.takeWrites();
        for (V1Pod pod : system.active("batched")) {
            system.ready(pod);
            system.cluster.settle(system.loops());
        }
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
        system.settle();
        assertThat(system.cluster.requests.takeWrites()).containsExactly("update jobs.batch/status default/batched");
    }

    @Test
    void aJobAtRestIsNotWrittenAgain() {
        create("resting", "parallelism: 2, completions: 2");
        system.cluster.requests.takeWrites();
        system.patch("resting", "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        system.settle();
        assertThat(system.cluster.requests.takeWrites()).isEmpty();
    }
}
