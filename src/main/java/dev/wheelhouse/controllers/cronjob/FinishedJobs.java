package dev.wheelhouse.controllers.cronjob;

import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1CronJobSpec;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;

import dev.wheelhouse.api.Metadata;

import static dev.wheelhouse.api.Absent.orEmpty;

/** Reads the outcome of Jobs (upstream: {@code pkg/controller/job/util/utils.go}). */
final class FinishedJobs {
    static final String COMPLETE = "Complete";
    static final String FAILED = "Failed";

    /** The order in which the history is shortened: by start time, Jobs that never started last. */
    private static final Comparator<V1Job> BY_START = Comparator
            .comparing((V1Job job) -> job.getStatus() == null ? null : job.getStatus().getStartTime(),
                    Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(job -> String.valueOf(job.getMetadata().getName()));

    private FinishedJobs() {}

    /** {@code Complete} or {@code Failed}; null while the Job is not finished. */
    static @Nullable String outcome(V1Job job) {
        List<V1JobCondition> conditions = job.getStatus() == null
                ? List.of()
                : orEmpty(job.getStatus().getConditions());
        return conditions.stream().filter(condition -> "True".equals(condition.getStatus()))
                .map(V1JobCondition::getType).filter(type -> type.equals(COMPLETE) || type.equals(FAILED)).findFirst()
                .orElse(null);
    }

    /**
     * The finished Jobs beyond the limits of a CronJob's history: the oldest ones, successful ones first. The Job of a
     * run that is not in the status yet stays, which upstream does not ensure: its name keeps the run from happening
     * twice.
     */
    static List<V1Job> surplus(V1CronJob cronJob, List<V1Job> jobs) {
        V1CronJobSpec spec = cronJob.getSpec();
        OffsetDateTime last = cronJob.getStatus() == null ? null : cronJob.getStatus().getLastScheduleTime();
        return Stream.concat(oldest(COMPLETE, spec.getSuccessfulJobsHistoryLimit(), jobs),
                oldest(FAILED, spec.getFailedJobsHistoryLimit(), jobs)).filter(job -> isReported(job, last)).toList();
    }

    private static boolean isReported(V1Job job, @Nullable OffsetDateTime last) {
        String time = Metadata.annotation(job, CronJobDecisions.SCHEDULED);
        try {
            return time == null || last != null && !OffsetDateTime.parse(time).isAfter(last);
        } catch (DateTimeParseException e) {
            return true;
        }
    }

    private static Stream<V1Job> oldest(String outcome, @Nullable Integer limit, List<V1Job> jobs) {
        if (limit == null) {
            return Stream.empty();
        }
        List<V1Job> finished = jobs.stream().filter(job -> outcome.equals(outcome(job))).toList();
        return finished.stream().sorted(BY_START).limit(Math.max(0, finished.size() - limit));
    }
}
