package dev.wheelhouse.controllers.job;

import java.time.Duration;
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
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
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
