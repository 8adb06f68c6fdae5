package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1CronJobSpec;
import io.kubernetes.client.openapi.models.V1CronJobStatus;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The behaviours of CronJobs that upstream's suites check, on the stepped controller. */
public class CronJobBehavioursTest {
    private static final ObjectKey HELLO = ObjectKey.of("default", "hello");

    private final Cluster cluster = new Cluster(CronJobDecisions.CRON_JOBS, ResourceType.JOBS);
    private CronJobController controller = new CronJobController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    // ---- the world

    private V1CronJob cronJob(String spec) {
        cluster.clock.advance(untilMinute().plusSeconds(10));
        V1CronJob created = cluster.create(CronJobDecisions.CRON_JOBS, V1CronJob.class, """
                {metadata: {namespace: default, name: hello}, spec: {schedule: "* * * * *", %s jobTemplate: {
                 metadata: {labels: {team: a}, annotations: {note: b}}, spec: {template: {spec: {
                  restartPolicy: Never, containers: [{name: main, image: "app:1"}]}}}}}}""", spec);
        settle();
        return created;
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    private Duration untilMinute() {
        Instant now = cluster.clock.now();
        return Duration.between(now, now.truncatedTo(ChronoUnit.MINUTES).plusSeconds(60));
    }

    /** Lets the time pass until just after the next full minute, which it returns. */
    private Instant minute() {
        cluster.settle(controller.loops(), Duration.ofMillis(500));
        cluster.clock.advance(untilMinute().plusMillis(100));
        settle();
        return cluster.clock.now().truncatedTo(ChronoUnit.MINUTES);
    }

    private List<String> jobs() {
        return cluster.all(ResourceType.JOBS, V1Job.class).stream().map(job -> job.getMetadata().getName()).toList();
    }

    private static String name(Instant minute) {
        return "hello-" + minute.getEpochSecond() / 60;
    }

    private V1CronJobStatus status() {
        return cluster.read(CronJobDecisions.CRON_JOBS, HELLO, V1CronJob.class).getStatus();
    }

    private List<String> active() {
        return status().getActive().stream().map(V1ObjectReference::getName).toList();
    }

    private void edit(Consumer<V1CronJobSpec> change) {
        cluster.edit(CronJobDecisions.CRON_JOBS, V1CronJob.class, HELLO, cronJob -> change.accept(cronJob.getSpec()));
        settle();
    }

    private void finish(Instant minute, String outcome) {
        end(minute, outcome);
        settle();
    }

    /** Ends a Job without letting the controller see it. */
    private void end(Instant minute, String outcome) {
        OffsetDateTime now = cluster.clock.now().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
        boolean complete = outcome.equals("Complete");
        cluster.edit(ResourceType.JOBS, V1Job.class, ObjectKey.of("default", name(minute)),
                job -> job.setStatus(new V1JobStatus().startTime(minute.atOffset(ZoneOffset.UTC))
                        .completionTime(complete ? now : null).succeeded(complete ? 1 : null)
                        .failed(complete ? null : 1)
                        .conditions(List.of(condition(complete ? "SuccessCriteriaMet" : "FailureTarget", now),
                                condition(outcome, now)))));
    }

    private static V1JobCondition condition(String type, OffsetDateTime since) {
        return new V1JobCondition().type(type).status("True").lastTransitionTime(since).lastProbeTime(since);
    }

    private List<String> events() {
        List<String> texts = cluster.eventTexts();
        cluster.events.clear();
        return texts;
    }

    // ---- runs

    @Test
    void aJobIsCreatedEachMinuteWithANameThatFollowsFromTheTime() {
        V1CronJob cronJob = cronJob("");
        Instant first = minute();
        Instant second = minute();

        assertThat(jobs()).containsExactly(name(first), name(second));
        assertThat(active()).containsExactly(name(first), name(second));
        assertThat(status().getLastScheduleTime().toInstant()).isEqualTo(second);
        assertThat(events()).containsExactly("Normal SuccessfulCreate Created job " + name(first),
                "Normal SuccessfulCreate Created job " + name(second));
        V1Job job = cluster.read(ResourceType.JOBS, ObjectKey.of("default", name(first)), V1Job.class);
        assertThat(job.getMetadata().getOwnerReferences()).containsExactly(new V1OwnerReference().apiVersion("batch/v1")
                .kind("CronJob").name("hello").uid(cronJob.getMetadata().getUid()).controller(true)
                .blockOwnerDeletion(true));
        assertThat(job.getMetadata().getLabels()).containsEntry("team", "a");
        assertThat(job.getMetadata().getAnnotations()).containsEntry("note", "b")
                .containsEntry(CronJobDecisions.SCHEDULED, first.toString());
        V1ObjectReference reference = status().getActive().getFirst();
        assertThat(reference.getUid()).isEqualTo(job.getMetadata().getUid());
        assertThat(reference.getKind()).isEqualTo("Job");
        assertThat(reference.getApiVersion()).isEqualTo("batch/v1");
        assertThat(reference.getResourceVersion()).isNotEmpty();
    }

    @Test
    void theDelayOfARunIsMeasured() {
        cronJob("");
        cluster.clock.advance(untilMinute().plusSeconds(7));
        settle();
        assertThat(cluster.measures)
                .containsOnly(Map.entry("cronjob_controller_job_creation_skew_duration_seconds{}", 7.0));
    }

    @Test
    void theScheduleCountsInTheTimeZoneOfTheCronJob() {
        cronJob("timeZone: Asia/Kathmandu, ");
        edit(spec -> spec.setSchedule("45 12 * * *"));
        Instant now = cluster.clock.now();
        Instant due = now.truncatedTo(ChronoUnit.DAYS).plus(Duration.ofHours(7));
        due = due.isAfter(now) ? due : due.plus(Duration.ofDays(1));
        cluster.clock.advance(Duration.between(now, due).plusMillis(100));
        settle();

        assertThat(jobs()).contains(name(due));
        assertThat(cluster.read(ResourceType.JOBS, ObjectKey.of("default", name(due)), V1Job.class).getMetadata()
                .getAnnotations()).containsEntry(CronJobDecisions.SCHEDULED,
                        due.atOffset(ZoneOffset.ofHoursMinutes(5, 45)).toString().replace("12:45+", "12:45:00+"));
    }

    @Test
    void aRunThatIsDueForLongerThanTheDeadlineIsLeftOut() {
        cronJob("suspend: true, startingDeadlineSeconds: 10, ");
        minute();
        cluster.clock.advance(Duration.ofSeconds(20));
        edit(spec -> spec.setSuspend(false));
        assertThat(jobs()).isEmpty();
        Instant next = minute();
        assertThat(jobs()).containsExactly(name(next));
    }

    @Test
    void moreThan100MissedRunsAreReportedAndTheLatestIsStarted() {
        cronJob("suspend: true, ");
        cluster.clock.advance(Duration.ofMinutes(103));
        Instant due = minute();
        edit(spec -> spec.setSuspend(false));
        assertThat(jobs()).containsExactly(name(due));
        assertThat(events()).containsExactly(
                "Warning TooManyMissedTimes too many missed start times. Set or decrease .spec.startingDeadlineSeconds"
                        + " or check clock skew",
                "Normal SuccessfulCreate Created job " + name(due));
    }

    @Test
    void aChangedScheduleCountsFromItsChangeAndANewTimeIsNotMissed() {
        cronJob("");
        edit(spec -> spec.setSchedule("0 0 1 1 *"));
        minute();
        assertThat(jobs()).isEmpty();
        edit(spec -> spec.setSchedule("* * * * *"));
        Instant due = minute();
        assertThat(jobs()).containsExactly(name(due));
    }

    // ---- the status

    @Test
    void aFinishedJobLeavesTheActiveOnesAndASuccessIsRemembered() {
        cronJob("");
        Instant first = minute();
        events();
        finish(first, "Complete");
        Instant success = cluster.clock.now().truncatedTo(ChronoUnit.SECONDS);
        assertThat(active()).isEmpty();
        assertThat(status().getLastSuccessfulTime().toInstant()).isEqualTo(success);
        assertThat(events())
                .containsExactly("Normal SawCompletedJob Saw completed job: " + name(first) + ", condition: Complete");
        Instant second = minute();
        finish(second, "Failed");
        assertThat(status().getLastSuccessfulTime().toInstant()).isEqualTo(success);
        assertThat(events())
                .contains("Normal SawCompletedJob Saw completed job: " + name(second) + ", condition: Failed");
    }

    @Test
    void anIncompleteReferenceInTheStatusNamesNoJob() {
        cronJob("");
        cluster.edit(CronJobDecisions.CRON_JOBS, V1CronJob.class, HELLO, cronJob -> cronJob.setStatus(
                new V1CronJobStatus().active(List.of(new V1ObjectReference().name("gone").uid("1"),
                        new V1ObjectReference().name("nobody").namespace("default")))));
        settle();
        assertThat(status().getActive()).isNullOrEmpty();
        assertThat(events()).containsExactlyInAnyOrder("Normal MissingJob Active job went missing: gone",
                "Normal MissingJob Active job went missing: nobody");
    }

    @Test
    void aDeletedJobLeavesTheActiveOnes() {
        cronJob("");
        Instant first = minute();
        events();
        cluster.remove(ResourceType.JOBS, ObjectKey.of("default", name(first)));
        settle();
        assertThat(active()).isEmpty();
        assertThat(events()).containsExactly("Normal MissingJob Active job went missing: " + name(first));
    }

    @Test
    void nothingIsWrittenWhileNothingChanges() {
        cronJob("");
        Instant time = minute();
        finish(time, "Complete");
        cluster.requests.take();
        cluster.settle(controller.loops(), Duration.ofSeconds(5));
        edit(spec -> spec.setStartingDeadlineSeconds(100L));
        assertThat(cluster.requests.take()).isEmpty();
    }

    // ---- no run happens twice

    /** Lets the time pass until a run whose status fails. */
    private Instant minuteWithoutStatus() {
        cluster.requests.failNext("update cronjobs", 500, "InternalError", "no disk");
        cluster.clock.advance(untilMinute().plusMillis(100));
        cluster.deliver();
        Cluster.work(controller.loops());
        return cluster.clock.now().truncatedTo(ChronoUnit.MINUTES);
    }

    private void startAnew() {
        controller.close();
        cluster.forgetCaches();
        controller = new CronJobController(cluster.context());
        settle();
    }

    @Test
    void aRunWhoseJobEndsBeforeItIsInTheStatusHappensOnceThoughTheHistoryKeepsNone() {
        cronJob("successfulJobsHistoryLimit: 0, ");
        Instant time = minuteWithoutStatus();
        end(time, "Complete");
        startAnew();
        assertThat(jobs()).isEmpty();
        assertThat(active()).isEmpty();
        assertThat(status().getLastScheduleTime().toInstant()).isEqualTo(time);
        assertThat(events()).filteredOn(e -> e.contains("SuccessfulCreate")).hasSize(1);
    }

    @Test
    void aRunWhoseStatusIsLostWithTheProcessHappensOnce() {
        cronJob("");
        Instant time = minuteWithoutStatus();
        startAnew();
        assertThat(jobs()).containsExactly(name(time));
        assertThat(active()).containsExactly(name(time));
        assertThat(status().getLastScheduleTime().toInstant()).isEqualTo(time);
        assertThat(events()).filteredOn(e -> e.contains("SuccessfulCreate")).hasSize(1);
    }

    @Test
    void anothersJobOfTheSameNameIsLeftAlone() {
        cronJob("");
        Instant due = cluster.clock.now().plus(untilMinute());
        cluster.create(ResourceType.JOBS, V1Job.class, """
                {metadata: {namespace: default, name: %s}, spec: {template: {spec: {restartPolicy: Never,
                  containers: [{name: main, image: "app:1"}]}}}}""", name(due));
        minute();
        assertThat(active()).isEmpty();
        assertThat(status().getLastScheduleTime()).isNull();
        Instant next = minute();
        assertThat(active()).containsExactly(name(next));
    }

    @Test
    void aNewProcessReadsTheLastRunFromTheServerBeforeItsFirstRun() {
        cronJob("successfulJobsHistoryLimit: 0, ");
        cluster.withhold(CronJobDecisions.CRON_JOBS);
        Instant time = cluster.clock.now().plus(untilMinute());
        cluster.edit(CronJobDecisions.CRON_JOBS, V1CronJob.class, HELLO,
                cronJob -> cronJob.setStatus(new V1CronJobStatus().lastScheduleTime(time.atOffset(ZoneOffset.UTC))));
        minute();
        assertThat(jobs()).isEmpty();
    }

    // ---- CronJobs that cannot run

    @Test
    void aScheduleWithoutTimesIsReportedAndNotTriedAgain() {
        cronJob("");
        events();
        edit(spec -> spec.setSchedule("59 23 31 2 *"));
        assertThat(events()).containsExactly("Warning InvalidSchedule invalid schedule: 59 23 31 2 * : time difference"
                + " between two schedules is less than 1 second");
        cluster.settle(controller.loops(), Duration.ofDays(400));
        assertThat(jobs()).isEmpty();
    }

    @Test
    void aPlanShowsTheRunThatIsDueAndWritesNothing() {
        cronJob("suspend: true, ");
        Instant due = minute();
        cluster.edit(CronJobDecisions.CRON_JOBS, V1CronJob.class, HELLO, c -> c.getSpec().setSuspend(false));
        cluster.deliver();
        cluster.requests.take();
        List<Action> plan = controller.plan(HELLO);
        assertThat(plan).filteredOn(Action.Create.class::isInstance).extracting(a -> ((Action.Create) a).target())
                .containsExactly(ObjectKey.of("default", name(due)));
        assertThat(cluster.requests.take()).as("it may read").allMatch(request -> request.startsWith("get"));
    }
}
