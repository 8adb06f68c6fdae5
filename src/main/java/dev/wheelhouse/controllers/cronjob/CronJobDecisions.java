package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1CronJobSpec;
import io.kubernetes.client.openapi.models.V1CronJobStatus;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobTemplateSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.facts.GoQuote;
import dev.wheelhouse.facts.TimeZones;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides on one CronJob (upstream: {@code syncCronJob} in {@code pkg/controller/cronjob/cronjob_controllerv2.go}). A
 * pure function: it collects Events, changes a copy of the status, and looks for a run that is due.
 */
final class CronJobDecisions {
    static final ResourceType CRON_JOBS = new ResourceType("batch", "v1", "cronjobs", "CronJob", true);
    /** The annotation of a Job with the time of its run, in the CronJob's time zone. */
    static final String SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX");
    private static final DateTimeFormatter MAIL = DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss xx",
            Locale.ROOT);

    private final CronJobView view;
    private final V1CronJob cronJob;
    private final V1CronJobSpec spec;
    private final V1CronJobStatus status;
    private final List<V1ObjectReference> active;
    private final List<Action> events = new ArrayList<>();

    /**
     * A run that is due.
     *
     * @param replaced the running Jobs to delete first
     */
    record Run(Instant time, V1Job job, List<V1ObjectReference> replaced) {}

    /**
     * The outcome of a decision.
     *
     * @param status the status without the run
     * @param run null if none is due
     * @param next the time until the next sync, after the run if there is one; null for none
     */
    record Decision(List<Action> events, V1CronJobStatus status, @Nullable Run run, @Nullable Duration next) {}

    private CronJobDecisions(CronJobView view) {
        this.view = view;
        this.cronJob = view.cronJob();
        this.spec = cronJob.getSpec();
        V1CronJobStatus before = cronJob.getStatus() == null ? new V1CronJobStatus() : cronJob.getStatus();
        this.active = new ArrayList<>(activeOf(before));
        this.active.removeIf(job -> view.deleted().contains(job.getUid()));
        this.status = new V1CronJobStatus().active(active).lastScheduleTime(before.getLastScheduleTime())
                .lastSuccessfulTime(before.getLastSuccessfulTime());
    }

    static Decision decide(CronJobView view) {
        CronJobDecisions decisions = new CronJobDecisions(view);
        decisions.view.jobs().forEach(decisions::observe);
        decisions.dropMissing();
        return decisions.schedule();
    }

    /** The Jobs that a status names as running. */
    static List<V1ObjectReference> activeOf(@Nullable V1CronJobStatus status) {
        return status == null ? List.of() : orEmpty(status.getActive());
    }

    /** The UIDs of the Jobs that a status names as running. */
    static Set<String> activeUids(@Nullable V1CronJobStatus status) {
        return activeOf(status).stream().map(V1ObjectReference::getUid).collect(Collectors.toSet());
    }

    static Action.Event event(V1CronJob cronJob, String type, String reason, String message) {
        return new Action.Event(CRON_JOBS, cronJob, type, reason, message);
    }

    private void warn(String reason, String message) {
        events.add(event(cronJob, "Warning", reason, message));
    }

    private void tell(String reason, String message) {
        events.add(event(cronJob, "Normal", reason, message));
    }

    private void observe(V1Job job) {
        String name = job.getMetadata().getName();
        String uid = job.getMetadata().getUid();
        String outcome = FinishedJobs.outcome(job);
        if (outcome == null) {
            if (active.stream().noneMatch(reference -> Objects.equals(reference.getUid(), uid))) {
                warn("UnexpectedJob", "Saw a job that the controller did not create or forgot: " + name);
            }
            return;
        }
        if (active.removeIf(reference -> Objects.equals(reference.getUid(), uid))) {
            tell("SawCompletedJob", "Saw completed job: " + name + ", condition: " + outcome);
        }
        OffsetDateTime completed = job.getStatus().getCompletionTime();
        if (outcome.equals(FinishedJobs.COMPLETE) && completed != null && (status.getLastSuccessfulTime() == null
                || completed.isAfter(status.getLastSuccessfulTime()))) {
            status.setLastSuccessfulTime(completed);
        }
    }

    private void dropMissing() {
        for (V1ObjectReference job : List.copyOf(active)) {
            if (view.missing().contains(job.getUid())) {
                tell("MissingJob", "Active job went missing: " + job.getName());
                active.remove(job);
            }
        }
    }

    private Decision schedule() {
        if (cronJob.getMetadata().getDeletionTimestamp() != null) {
            return waiting(null);
        }
        ZoneId zone;
        try {
            zone = TimeZones.load(orEmpty(spec.getTimeZone()));
        } catch (IllegalArgumentException e) {
            warn("UnknownTimeZone", "invalid timeZone: " + GoQuote.of(spec.getTimeZone()) + ": " + e.getMessage());
            return waiting(null);
        }
        if (Boolean.TRUE.equals(spec.getSuspend())) {
            return waiting(null);
        }
        if (spec.getSchedule().contains("TZ")) {
            warn("UnsupportedSchedule", "CRON_TZ or TZ used in schedule " + GoQuote.of(spec.getSchedule())
                    + " is not officially supported, see"
                    + " https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
        }
        try {
            return schedule(scheduleOf(spec, view.local()), zone);
        } catch (IllegalArgumentException e) {
            warn("UnparseableSchedule",
                    "unparseable schedule: " + GoQuote.of(spec.getSchedule()) + " : " + e.getMessage());
            return waiting(null);
        }
    }

    /**
     * The schedule in the CronJob's time zone. A zone in the schedule itself, which old releases allowed, wins.
     *
     * @throws IllegalArgumentException if the schedule cannot be read
     */
    static CronSchedule scheduleOf(V1CronJobSpec spec, ZoneId local) {
        String schedule = spec.getSchedule();
        if (spec.getTimeZone() == null || schedule.contains("TZ")) {
            return CronSchedule.parse(schedule, local);
        }
        try {
            TimeZones.load(spec.getTimeZone());
        } catch (IllegalArgumentException e) {
            return CronSchedule.parse(schedule, local);
        }
        return CronSchedule.parse("TZ=" + spec.getTimeZone() + " " + schedule, local);
    }

    private Decision schedule(CronSchedule schedule, ZoneId zone) {
        Duration deadline = spec.getStartingDeadlineSeconds() == null
                ? null
                : Duration.ofSeconds(spec.getStartingDeadlineSeconds());
        MissedRuns runs = MissedRuns.of(cronJob, status.getLastScheduleTime(), schedule, view.now(), deadline);
        if (runs.broken()) {
            warn("InvalidSchedule", "invalid schedule: " + spec.getSchedule()
                    + " : time difference between two schedules is less than 1 second");
            return waiting(null);
        }
        Instant time = runs.latest();
        if (time == null) {
            return waiting(schedule);
        }
        if (runs.isTooMany()) {
            warn("TooManyMissedTimes", "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
                    + "check clock skew");
        }
        if (deadline != null && Durations.after(time, deadline).isBefore(view.now())) {
            warn("MissSchedule", "Missed scheduled time to start a job: " + MAIL.format(time.atOffset(ZoneOffset.UTC)));
            return waiting(schedule);
        }
        if (hasRun(time)) {
            return waiting(schedule);
        }
        if ("Forbid".equals(spec.getConcurrencyPolicy()) && !active.isEmpty()) {
            tell("JobAlreadyActive",
                    "Not starting job because prior execution is running and concurrency policy is Forbid");
            return waiting(schedule);
        }
        List<V1ObjectReference> replaced = "Replace".equals(spec.getConcurrencyPolicy())
                ? List.copyOf(active)
                : List.of();
        return new Decision(events, status, new Run(time, job(time, zone), replaced),
                MissedRuns.untilNext(cronJob, time.atOffset(ZoneOffset.UTC), schedule, view.now()));
    }

    private boolean hasRun(Instant time) {
        String name = jobName(time);
        OffsetDateTime last = status.getLastScheduleTime();
        return last != null && last.toInstant().equals(time)
                || active.stream().anyMatch(job -> name.equals(job.getName())
                        && Objects.equals(job.getNamespace(), cronJob.getMetadata().getNamespace()));
    }

    /** No run now. @param schedule null if nothing but a change of the CronJob leads to a run */
    private Decision waiting(@Nullable CronSchedule schedule) {
        return new Decision(events, status, null, schedule == null
                ? null
                : MissedRuns.untilNext(cronJob, status.getLastScheduleTime(), schedule, view.now()));
    }

    /** The name of the Job of a run: the CronJob's name and the minutes since 1970. */
    private String jobName(Instant time) {
        return cronJob.getMetadata().getName() + "-" + time.getEpochSecond() / 60;
    }

    private V1Job job(Instant time, ZoneId zone) {
        V1JobTemplateSpec template = spec.getJobTemplate();
        V1ObjectMeta from = template.getMetadata() == null ? new V1ObjectMeta() : template.getMetadata();
        Map<String, String> annotations = new LinkedHashMap<>(
                orEmpty(from.getAnnotations()));
        annotations.put(SCHEDULED, SECONDS.format(time.atZone(zone)));
        return new V1Job().apiVersion(ResourceType.JOBS.apiVersion()).kind(ResourceType.JOBS.kind())
                .spec(template.getSpec())
                .metadata(new V1ObjectMeta().namespace(cronJob.getMetadata().getNamespace()).name(jobName(time))
                        .labels(from.getLabels()).annotations(annotations).ownerReferences(List
                                .of(OwnerReferences.controllerReference(CRON_JOBS, cronJob.getMetadata()))));
    }

    /** The status after a run has started. */
    static V1CronJobStatus started(V1CronJobStatus status, Run run, V1ObjectMeta job) {
        List<V1ObjectReference> active = new ArrayList<>(activeOf(status));
        active.add(new V1ObjectReference().apiVersion(ResourceType.JOBS.apiVersion()).kind(ResourceType.JOBS.kind())
                .namespace(job.getNamespace()).name(job.getName()).uid(job.getUid())
                .resourceVersion(job.getResourceVersion()));
        return new V1CronJobStatus().active(active).lastScheduleTime(run.time().atOffset(ZoneOffset.UTC))
                .lastSuccessfulTime(status.getLastSuccessfulTime());
    }
}
