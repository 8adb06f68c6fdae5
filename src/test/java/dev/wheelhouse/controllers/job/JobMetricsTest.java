package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The metrics of the Job controller, with upstream's names and labels. */
class JobMetricsTest {
    private final JobSystem system = new JobSystem();

    @AfterEach
    void close() {
        system.close();
    }

    private void create(String name, String spec) {
        system.create(name, spec);
        system.settle();
    }

    /** The counters since the last call, without those of syncs. */
    private Map<String, Integer> counted() {
        Map<String, Integer> counted = new LinkedHashMap<>();
        system.cluster.measures.forEach((name, value) -> {
            if (!name.contains("_sync")) {
                counted.put(name.replace("job_controller_", ""), value.intValue());
            }
        });
        system.cluster.measures.clear();
        return counted;
    }

    @Test
    void aJobThatCompletesIsCountedWithItsPods() {
        create("two", "completions: 2, parallelism: 2");
        assertThat(counted()).containsOnly(Map.entry("job_pods_creation_total{new,succeeded}", 2));
        system.active("two").forEach(system::succeed);
        system.settle();
        assertThat(counted()).containsOnly(Map.entry("job_pods_finished_total{NonIndexed,succeeded}", 2),
                Map.entry("jobs_finished_total{NonIndexed,succeeded,CompletionsReached}", 1),
                Map.entry("terminated_pods_tracking_finalizer_total{add}", 2),
                Map.entry("terminated_pods_tracking_finalizer_total{delete}", 2));
    }

    @Test
    void indexesAreCountedByTheScopeOfTheirBackoffLimit() {
        create("indexes", "completionMode: Indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 0");
        system.fail(system.pod("indexes", 0));
        system.succeed(system.pod("indexes", 1));
        system.settle();
        assertThat(counted()).contains(Map.entry("job_finished_indexes_total{failed,perIndex}", 1),
                Map.entry("job_finished_indexes_total{succeeded,perIndex}", 1),
                Map.entry("job_pods_finished_total{Indexed,failed}", 1),
                Map.entry("job_pods_finished_total{Indexed,succeeded}", 1))
                .doesNotContainKey("jobs_finished_total{Indexed,failed,FailedIndexes}");
        system.succeed(system.pod("indexes", 2));
        system.settle();
        assertThat(counted()).contains(Map.entry("jobs_finished_total{Indexed,failed,FailedIndexes}", 1));
        create("global", "completionMode: Indexed, completions: 1");
        system.succeed(system.pod("global", 0));
        system.settle();
        assertThat(counted()).contains(Map.entry("job_finished_indexes_total{succeeded,global}", 1));
    }

    @Test
    void theActionsOfAFailurePolicyAndTheReasonsOfNewPodsAreCounted() {
        create("policy", """
                podReplacementPolicy: Failed, parallelism: 2, completions: 2, podFailurePolicy: {rules: [
                  {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]},
                  {action: Count, onExitCodes: {operator: In, values: [3]}},
                  {action: FailJob, onExitCodes: {operator: In, values: [5]}}]}""");
        assertThat(counted()).containsOnly(Map.entry("job_pods_creation_total{new,succeeded}", 2));
        system.fail(system.active("policy").getFirst(), "DisruptionTarget");
        system.settle();
        system.after(Duration.ofSeconds(20));
        assertThat(counted()).contains(
                Map.entry("pod_failures_handled_by_failure_policy_total{Ignore}", 1),
                Map.entry("job_pods_creation_total{new,succeeded}", 1))
                .doesNotContainKey("job_pods_finished_total{NonIndexed,failed}");
        system.fail(system.active("policy").getFirst(), 3);
        system.settle();
        system.after(Duration.ofSeconds(40));
        assertThat(counted()).contains(
                Map.entry("pod_failures_handled_by_failure_policy_total{Count}", 1),
                Map.entry("job_pods_creation_total{recreate_failed,succeeded}", 1));
        system.fail(system.active("policy").getFirst(), 5);
        system.settle();
        system.active("policy").forEach(system::endDeletion);
        system.settle();
        assertThat(counted()).contains(Map.entry("pod_failures_handled_by_failure_policy_total{FailJob}", 1));
    }

    @Test
    void everySyncHasItsAction() {
        create("acts", "parallelism: 1");
        assertThat(system.cluster.measures).containsKeys(
                "job_controller_job_syncs_total{NonIndexed,success,pods_created}",
                "job_controller_job_sync_duration_seconds{NonIndexed,success,pods_created}",
                "job_controller_job_syncs_total{NonIndexed,success,tracking}");
        system.suspend("acts", true);
        system.settle();
        assertThat(system.cluster.measures)
                .containsKey("job_controller_job_syncs_total{NonIndexed,success,pods_deleted}");
        system.suspend("acts", false);
        system.cluster.requests.failNext("create pods", 500, "InternalError", "no");
        system.settle();
        assertThat(system.cluster.measures)
                .containsKey("job_controller_job_syncs_total{NonIndexed,error,pods_created}");
    }

    @Test
    void jobsOfOtherControllersAreCountedByTheirName() {
        create("theirs", "managedBy: example.com/other");
        assertThat(counted()).containsOnly(
                Map.entry("jobs_by_external_controller_total{example.com/other}", 1));
    }

    @Test
    void aSyncThatWaitsForACacheIsCounted() {
        system.cluster.withhold(ResourceType.PODS);
        system.create("late", "");
        for (int i = 0; i < 3; i++) {
            system.cluster.deliver();
            Cluster.work(system.loops());
            system.cluster.clock.advance(Duration.ofSeconds(1));
        }
        assertThat(system.cluster.measures).containsKey("job_controller_stale_sync_skips_total{,pods}");
    }

    @Test
    void aPlanCountsNothing() {
        system.create("planned", "");
        system.cluster.deliver();
        system.cluster.measures.clear();
        assertThat(system.controller.plan("jobs.batch", JobSystem.key("planned"))).get()
                .asInstanceOf(InstanceOfAssertFactories.LIST).hasAtLeastOneElementOfType(Action.Batch.class);
        assertThat(system.cluster.measures).isEmpty();
    }
}
