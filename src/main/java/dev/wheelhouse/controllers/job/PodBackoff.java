package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Durations;

/**
 * The delay before a failed pod is replaced: 10 s after the first failure, doubled by each further one, 10 minutes at
 * most (upstream: {@code pkg/controller/job/backoff_utils.go}).
 *
 * @param failures the failures since the last success
 * @param last the end of the pod that failed last; null if there is none
 */
record PodBackoff(int failures, @Nullable Instant last) {
    static final PodBackoff NONE = new PodBackoff(0, null);

    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** The backoff after these pods have ended. Failures before the last success do not count. */
    PodBackoff after(List<JobPod> succeeded, List<JobPod> failed) {
        if (succeeded.isEmpty() && failed.isEmpty()) {
            return this;
        }
        Instant success = latest(succeeded);
        int count = success == null ? failures : 0;
        Instant end = null;
        for (JobPod pod : failed) {
            Instant finished = pod.finishedAt();
            if (success == null || finished.isAfter(success)) {
                count++;
                end = end == null || finished.isAfter(end) ? finished : end;
            }
        }
        return new PodBackoff(count, end);
    }

    private static @Nullable Instant latest(List<JobPod> pods) {
        Instant latest = null;
        for (JobPod pod : pods) {
            Instant end = pod.finishedAt();
            latest = latest == null || end.isAfter(latest) ? end : latest;
        }
        return latest;
    }

    /** The time until a pod may be created; zero if it may be created now. */
    Duration remaining(Instant now) {
        if (failures == 0 || last == null) {
            return Duration.ZERO;
        }
        Duration left = Durations.doubled(FIRST, failures - 1, LONGEST).minus(Duration.between(last, now));
        return left.isNegative() ? Duration.ZERO : left;
    }
}
