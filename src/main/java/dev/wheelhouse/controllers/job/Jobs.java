package dev.wheelhouse.controllers.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobCondition;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1JobStatus;

import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Reads and makes the parts of a Job that decisions need (upstream: {@code pkg/controller/job/util},
 * {@code pkg/controller/job/job_controller.go}).
 */
final class Jobs {
    static final String COMPLETE = "Complete";
    static final String FAILED = "Failed";
    static final String FAILURE_TARGET = "FailureTarget";
    static final String SUCCESS_CRITERIA_MET = "SuccessCriteriaMet";
    static final String SUSPENDED = "Suspended";

    /** The value of {@code spec.managedBy} that names this controller. */
    private static final String THIS_CONTROLLER = "kubernetes.io/job-controller";

    private Jobs() {}

    /** Whether the Job has completed or failed. */
    static boolean isFinished(V1Job job) {
        return finishedBy(job) != null;
    }

    /** The condition by which the Job is finished; null if it is not finished. */
    static @Nullable V1JobCondition finishedBy(V1Job job) {
        return conditions(job.getStatus()).stream().filter(each -> isTrue(each)
                && (COMPLETE.equals(each.getType()) || FAILED.equals(each.getType()))).findFirst().orElse(null);
    }

    /** Whether another controller manages the Job. */
    static boolean isManagedByOther(V1Job job) {
        String manager = job.getSpec().getManagedBy();
        return manager != null && !manager.equals(THIS_CONTROLLER);
    }

    static boolean isIndexed(V1Job job) {
        return "Indexed".equals(job.getSpec().getCompletionMode());
    }

    static boolean hasLimitPerIndex(V1Job job) {
        return job.getSpec().getBackoffLimitPerIndex() != null;
    }

    static boolean isSuspended(V1Job job) {
        return Boolean.TRUE.equals(job.getSpec().getSuspend());
    }

    static boolean isDeleting(V1Job job) {
        return job.getMetadata().getDeletionTimestamp() != null;
    }

    /** Whether a pod that is being deleted is replaced only after it has ended. */
    static boolean replacesOnlyFailedPods(V1JobSpec spec) {
        return "Failed".equals(spec.getPodReplacementPolicy()) || spec.getPodFailurePolicy() != null;
    }

    static int parallelism(V1Job job) {
        Integer parallelism = job.getSpec().getParallelism();
        return parallelism == null ? 1 : parallelism;
    }

    static int backoffLimit(V1Job job) {
        Integer limit = job.getSpec().getBackoffLimit();
        return limit == null ? 6 : limit;
    }

    static List<V1JobCondition> conditions(@Nullable V1JobStatus status) {
        return status == null ? List.of() : orEmpty(status.getConditions());
    }

    /** The condition of a type that is true; null if there is none. */
    static @Nullable V1JobCondition trueCondition(@Nullable V1JobStatus status, String type) {
        V1JobCondition condition = condition(conditions(status), type);
        return condition != null && isTrue(condition) ? condition : null;
    }

    static @Nullable V1JobCondition condition(List<V1JobCondition> conditions, String type) {
        return conditions.stream().filter(each -> type.equals(each.getType())).findFirst().orElse(null);
    }

    /**
     * The conditions with one more, or with one replaced. A false condition of a new type adds nothing.
     * @return a new list; the same list if nothing changes
     */
    static List<V1JobCondition> with(List<V1JobCondition> conditions, V1JobCondition condition) {
        V1JobCondition before = condition(conditions, condition.getType());
        if (before == null
                ? !isTrue(condition)
                : Objects.equals(before.getStatus(), condition.getStatus())
                        && Objects.equals(before.getReason(), condition.getReason())
                        && Objects.equals(before.getMessage(), condition.getMessage())) {
            return conditions;
        }
        List<V1JobCondition> changed = new ArrayList<>(conditions);
        if (before == null) {
            changed.add(condition);
        } else {
            changed.set(conditions.indexOf(before), condition);
        }
        return changed;
    }

    static boolean is(@Nullable V1JobCondition condition, String type) {
        return condition != null && type.equals(condition.getType());
    }

    private static boolean isTrue(V1JobCondition condition) {
        return "True".equals(condition.getStatus());
    }

    static V1JobCondition condition(String type, String status, @Nullable String reason, @Nullable String message,
            Instant now) {
        return new V1JobCondition().type(type).status(status).reason(reason).message(message)
                .lastProbeTime(Durations.wholeSeconds(now)).lastTransitionTime(Durations.wholeSeconds(now));
    }
}
