package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;

import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.runtime.Durations;

/**
 * The runs that are due since the last one (upstream: {@code mostRecentScheduleTime} in
 * {@code pkg/controller/cronjob/utils.go}).
 *
 * @param since the last run, or the creation of the CronJob, or the start of the deadline
 * @param latest the last time that is due; null if none is
 * @param count the approximate number of times that are due; at most one of them counts as 0
 * @param broken whether the schedule has no times, such as one for 31 February
 */
record MissedRuns(Instant since, @Nullable Instant latest, long count, boolean broken) {
    private static final long MANY = 100;
    /** Added to the time of the next sync, because the clocks of machines differ. */
    private static final Duration SKEW = Duration.ofMillis(100);

    /**
     * @param lastRun the CronJob's {@code status.lastScheduleTime}
     * @param deadline the longest delay of a run; earlier times do not count. Null for none
     */
    static MissedRuns of(V1CronJob cronJob, @Nullable OffsetDateTime lastRun, CronSchedule schedule, Instant now,
            @Nullable Duration deadline) {
        OffsetDateTime created = cronJob.getMetadata().getCreationTimestamp();
        Instant since = lastRun != null ? lastRun.toInstant() : created != null ? created.toInstant() : now;
        Instant earliest = deadline == null ? Instant.MIN : Durations.before(now, deadline);
        since = earliest.isAfter(since) ? earliest : since;
        Instant first = schedule.next(since);
        if (first != null && now.isBefore(first)) {
            return new MissedRuns(since, null, 0, false);
        }
        Instant second = first == null ? null : schedule.next(first);
        if (first == null || second == null) {
            return new MissedRuns(since, null, 0, true);
        }
        if (now.isBefore(second)) {
            return new MissedRuns(since, first, 0, false);
        }
        // The number is a guess: it takes all intervals for as long as the first. The search for the latest time
        // begins an interval early, because later intervals may be shorter.
        long interval = second.getEpochSecond() - first.getEpochSecond();
        long count = Duration.between(first, now).getSeconds() / interval + 1;
        Instant latest = null;
        Instant time = schedule.next(Durations.after(first, (count - 2) * interval));
        while (time != null && !time.isAfter(now)) {
            latest = time;
            time = schedule.next(time);
        }
        return new MissedRuns(since, latest, count, false);
    }

    boolean isTooMany() {
        return count > MANY;
    }

    /** The time from now until the next run; null if the schedule has no more times. */
    static @Nullable Duration untilNext(V1CronJob cronJob, @Nullable OffsetDateTime lastRun, CronSchedule schedule,
            Instant now) {
        MissedRuns runs = of(cronJob, lastRun, schedule, now, null);
        Instant from = runs.latest != null ? runs.latest : runs.broken || runs.count > 0 ? now : runs.since;
        Instant next = schedule.next(from);
        return next == null ? null : Duration.between(now, next.plus(SKEW));
    }
}
