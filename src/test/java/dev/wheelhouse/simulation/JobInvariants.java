package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1UncountedTerminatedPods;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.job.Jobs;

import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;
import static dev.wheelhouse.simulation.Truth.uid;

/**
 * A Job never runs more pods than its parallelism, nor two of one index. A pod that has ended is named in the status
 * before it loses the finalizer, and counted after that, once. At the end as many pods have succeeded as are counted.
 */
final class JobInvariants implements Invariant {
    private static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    private final Truth truth;
    private final RunHistory history;
    /** The UIDs of all pods that a status has named, and those of them that were counted. */
    private final Set<String> named = new HashSet<>();
    private final Set<String> counted = new HashSet<>();
    /** The UIDs of pods that lost the finalizer because they were surplus, so that nobody counts them. */
    private final Set<String> surplus = new HashSet<>();
    /** Whether a deposed manager created a pod, which may be one too many. */
    private boolean createdLate;

    JobInvariants(Truth truth, RunHistory history) {
        this.truth = truth;
        this.history = history;
    }

    @Override
    public List<String> before(Write write) {
        if (write.is("create", ResourceType.PODS)) {
            return created(write);
        }
        if (write.is("patch", ResourceType.PODS)) {
            return freed(write);
        }
        V1Job job = status(write);
        return job == null ? List.of() : counted(job);
    }

    private static @Nullable V1Job status(Write write) {
        return write.request().type().equals(ResourceType.JOBS) && write.request().subresource().equals("status")
                ? write.object(V1Job.class)
                : null;
    }

    private List<String> created(Write write) {
        V1Pod pod = write.object(V1Pod.class);
        V1Job read = pod == null ? null : readOwner(write, pod);
        if (pod == null || read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        List<V1Pod> active = truth.pods().stream().filter(p -> owns(read, p) && isActive(p)).toList();
        int most = Math.min(read.getSpec().getParallelism(),
                read.getSpec().getCompletions() - Jobs.count(read.getStatus().getSucceeded()));
        if (active.size() + 1 > most + history.lateCreates()) {
            wrong.add("a creation gives Job " + name(read) + " " + (active.size() + 1)
                    + " active pods, and it read that it wants " + most);
        }
        String index = index(pod);
        if (index != null && history.lateCreates() == 0 && truth.pods().stream()
                .anyMatch(p -> owns(read, p) && index.equals(index(p)) && (isActive(p) || (succeeded(p) && isTracked(p))))) {
            wrong.add("index " + index + " of Job " + name(read) + " gets a second pod");
        }
        return wrong;
    }

    private static boolean succeeded(V1Pod pod) {
        return pod.getStatus() != null && "Succeeded".equals(pod.getStatus().getPhase());
    }

    private static @Nullable String index(V1Pod pod) {
        return pod.getMetadata().getAnnotations() == null ? null : pod.getMetadata().getAnnotations().get(INDEX);
    }

    private static @Nullable V1Job readOwner(Write write, V1Pod pod) {
        V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
        return owner == null || !owner.getKind().equals("Job")
                ? null
                : write.read(ResourceType.JOBS, V1Job.class,
                        new ObjectKey(write.request().key().namespace(), owner.getName()));
    }

    /** A pod that has ended loses the finalizer. */
    private List<String> freed(Write write) {
        V1Pod pod = truth.pod(write.request().key());
        V1OwnerReference owner = pod == null ? null : OwnerReferences.controllerOf(pod.getMetadata());
        V1Job job = owner == null ? null : truth.get(ResourceType.JOBS, V1Job.class, owner.getName());
        if (pod == null || job == null || !uid(job).equals(Objects.requireNonNull(owner).getUid()) || !isTracked(pod)
                || !write.request().toString().contains("finalizers") || isActive(pod)
                || job.getMetadata().getDeletionTimestamp() != null || Jobs.isFinished(job)) {
            return List.of();
        }
        return named.contains(uid(pod)) || (succeeded(pod) && index(pod) != null) || isSurplus(write, pod)
                ? List.of()
                : List.of("pod " + name(pod) + " loses the finalizer before the status names it");
    }

    /** Whether the manager has not seen that the pod has ended. */
    private static boolean isSurplus(Write write, V1Pod pod) {
        V1Pod seen = write.read(ResourceType.PODS, V1Pod.class, pod);
        return seen != null && isActive(seen);
    }

    private static boolean isTracked(V1Pod pod) {
        return pod.getMetadata().getFinalizers() != null && pod.getMetadata().getFinalizers().contains(FINALIZER);
    }

    private List<String> counted(V1Job written) {
        V1Job stored = truth.get(ResourceType.JOBS, V1Job.class, name(written));
        if (stored == null || !uid(stored).equals(uid(written))) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        Set<String> before = uncounted(stored.getStatus());
        Set<String> after = uncounted(written.getStatus());
        for (String uid : after) {
            if (counted.contains(uid)) {
                wrong.add("a pod of Job " + name(written) + " is counted twice");
            }
        }
        Set<String> left = new HashSet<>(before);
        left.removeAll(after);
        truth.pods().stream().filter(p -> left.contains(uid(p)) && isTracked(p)).forEach(p -> wrong
                .add("pod " + name(p) + " is counted, and has the finalizer"));
        int more = Jobs.count(written.getStatus().getFailed()) - failed(stored)
                + (isIndexed(written) ? 0 : Jobs.count(written.getStatus().getSucceeded()) - succeeded(stored));
        if (more != left.size()) {
            wrong.add("the counters of Job " + name(written) + " grow by " + more + " for " + left.size() + " pods");
        }
        return wrong;
    }

    private static boolean isIndexed(V1Job job) {
        return "Indexed".equals(job.getSpec().getCompletionMode());
    }

    private static int failed(V1Job job) {
        return job.getStatus() == null ? 0 : Jobs.count(job.getStatus().getFailed());
    }

    private static int succeeded(V1Job job) {
        return job.getStatus() == null ? 0 : Jobs.count(job.getStatus().getSucceeded());
    }

    private static Set<String> uncounted(@Nullable V1JobStatus status) {
        Set<String> uids = new HashSet<>();
        V1UncountedTerminatedPods pods = status == null ? null : status.getUncountedTerminatedPods();
        if (pods != null) {
            uids.addAll(pods.getSucceeded() == null ? List.of() : pods.getSucceeded());
            uids.addAll(pods.getFailed() == null ? List.of() : pods.getFailed());
        }
        return uids;
    }

    @Override
    public void after(Write write) {
        V1Pod pod = write.is("patch", ResourceType.PODS) ? truth.pod(write.request().key()) : null;
        if (pod != null && !isTracked(pod) && isSurplus(write, pod)) {
            surplus.add(uid(pod));
        }
        V1Job job = status(write);
        if (job != null) {
            Set<String> uncounted = uncounted(job.getStatus());
            named.addAll(uncounted);
            counted.addAll(named);
            counted.removeAll(uncounted);
        }
    }

    @Override
    public List<String> late(Write write, int created) {
        V1Pod pod = write.is("create", ResourceType.PODS) ? write.object(V1Pod.class) : null;
        V1Job read = pod == null ? null : readOwner(write, pod);
        if (read == null) {
            return List.of();
        }
        createdLate = true;
        int lacked = read.getSpec().getParallelism() - (int) write.read(ResourceType.PODS, V1Pod.class).stream()
                .filter(p -> owns(read, p) && isActive(p)).count();
        return created <= lacked ? List.of() : List.of(created + " pods, and it lacked " + lacked);
    }

    @Override
    public List<String> atEnd() {
        List<String> wrong = new ArrayList<>();
        for (V1Job job : createdLate ? List.<V1Job>of() : truth.list(ResourceType.JOBS, V1Job.class)) {
            List<V1Pod> pods = truth.pods().stream().filter(p -> owns(job, p) && !surplus.contains(uid(p))).toList();
            long succeeded = pods.stream().filter(JobInvariants::succeeded).map(
                    p -> isIndexed(job) ? String.valueOf(index(p)) : uid(p)).distinct().count();
            if (Jobs.isFinished(job) && succeeded(job) != succeeded) {
                wrong.add("Job " + name(job) + " counts " + succeeded(job) + " successes, and has " + succeeded);
            }
            long failed = pods.stream()
                    .filter(p -> p.getStatus() != null && "Failed".equals(p.getStatus().getPhase())).count();
            if (Jobs.isFinished(job) && pods.stream().anyMatch(JobInvariants::isTracked)) {
                wrong.add("Job " + name(job) + " has ended, and pods of it have the finalizer");
            }
            if (Jobs.isFinished(job) && failed(job) < failed) {
                wrong.add("Job " + name(job) + " counts " + failed(job) + " failures, and has " + failed);
            }
        }
        return wrong;
    }
}
