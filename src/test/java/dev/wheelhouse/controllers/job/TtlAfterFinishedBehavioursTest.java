package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Job;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about the time to live of Jobs (upstream: {@code test/e2e/apps/ttl_after_finished.go}). */
class TtlAfterFinishedBehavioursTest {
    private static final ObjectKey KEY = ObjectKey.of("default", "report");

    private final Cluster cluster = new Cluster();
    private TtlAfterFinishedController controller = new TtlAfterFinishedController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void create(String spec) {
        cluster.create(ResourceType.JOBS, V1Job.class, """
                {apiVersion: batch/v1, kind: Job, metadata: {namespace: default, name: report}, spec: {%s template:
                 {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}}}""", spec);
    }

    private void finish(String condition) {
        String interim = condition.equals("Complete") ? "SuccessCriteriaMet" : "FailureTarget";
        String completion = condition.equals("Complete") ? "\"completionTime\": \"%1$s\", " : "";
        cluster.user().metadata(ResourceType.JOBS).patch(KEY, "status", PatchType.MERGE, ("""
                {"status": {"startTime": "%1$s", """ + completion + """
                "conditions": [{"type": "%2$s", "status": "True", "lastTransitionTime": "%1$s"},
                 {"type": "%3$s", "status": "True", "lastTransitionTime": "%1$s"}]}}""")
                .formatted(cluster.clock.now(), interim, condition));
        cluster.settle(controller.loops());
    }

    private void after(int seconds) {
        cluster.clock.advance(Duration.ofSeconds(seconds));
        cluster.settle(controller.loops());
    }

    @Test
    void aJobWithoutATimeToLiveStays() {
        create("");
        finish("Complete");
        after(100_000_000);
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void aTimeToLiveThatIsSetAfterTheEndCounts() {
        create("");
        finish("Complete");
        after(100);
        setSeconds(50);
        cluster.settle(controller.loops());
        assertThat(cluster.requests.takeWrites()).hasSize(1);
        assertThat(cluster.measures).containsOnly(
                Map.entry("ttl_after_finished_controller_job_deletion_duration_seconds{}", 50.0));
    }

    private void setSeconds(int seconds) {
        cluster.user().metadata(ResourceType.JOBS).patch(KEY, "", PatchType.MERGE,
                "{\"spec\": {\"ttlSecondsAfterFinished\": " + seconds + "}}");
    }

    @Test
    void aTimeToLiveThatWasRaisedUnseenKeepsTheJob() {
        create("ttlSecondsAfterFinished: 60,");
        finish("Complete");
        cluster.clock.advance(Duration.ofSeconds(60));
        setSeconds(600);
        Cluster.work(controller.loops());
        assertThat(cluster.requests.takeWrites()).hasSize(1);
        cluster.settle(controller.loops(), Duration.ofSeconds(2));
        assertThat(cluster.exists(ResourceType.JOBS, KEY)).isTrue();
        assertThat(cluster.requests.takeWrites()).isEmpty();
        after(540);
        assertThat(cluster.requests.takeWrites()).hasSize(1);
    }

    @Test
    void afterARestartTheTimeCountsFromTheEnd() {
        create("ttlSecondsAfterFinished: 60,");
        finish("Complete");
        after(30);
        cluster.forgetCaches();
        controller = new TtlAfterFinishedController(cluster.context());
        after(31);
        assertThat(cluster.requests.takeWrites()).hasSize(1);
    }

    @Test
    void aJobThatIsBeingDeletedIsLeftAlone() {
        create("ttlSecondsAfterFinished: 60,");
        cluster.edit(ResourceType.JOBS, V1Job.class, KEY, job -> job.getMetadata().addFinalizersItem("example.com/a"));
        cluster.delete(ResourceType.JOBS, KEY);
        finish("Complete");
        after(60);
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    @Test
    void thePlanShowsWhatIsDueAndWhen() {
        create("ttlSecondsAfterFinished: 60,");
        finish("Complete");
        assertThat(controller.plan(KEY)).isEqualTo(List.of(new Action.RequeueAfter(Duration.ofSeconds(60))));
        cluster.clock.advance(Duration.ofSeconds(60));
        assertThat(controller.plan(KEY)).singleElement().isInstanceOf(Action.Delete.class);
    }
}
