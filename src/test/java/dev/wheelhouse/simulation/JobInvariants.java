package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.job.JobController;

import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;
import static dev.wheelhouse.simulation.Truth.uid;

/**
 * A Job runs at most {@code parallelism} pods at a time and one pod of an index, none of an index that is complete. It
 * counts no more pods than have ended, and no pod loses its finalizer before it is counted.
 */
final class JobInvariants implements Invariant {
    private static final String FINALIZER = "batch.kubernetes.io/job-tracking";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    private final Truth truth;
    private final RunHistory history;
    /** The UIDs of all pods that have ended, by the Job's UID. Until they are counted, a finalizer keeps them. */
    private final Map<String, Set<String>> succeeded = new HashMap<>();
    private final Map<String, Set<String>> failed = new HashMap<>();

    JobInvariants(Truth truth, RunHistory history) {
        this.truth = truth;
        this.history = history;
    }

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(JobController.NAME)) {
            return List.of();
        }
        lookForEnds();
        V1Pod pod = write.object(V1Pod.class);
        if (pod != null && write.is("create", ResourceType.PODS)) {
            return created(write, pod);
        }
        V1Job job = write.object(V1Job.class);
        if (job != null && write.request().subresource().equals("status")) {
            lookForEndsThatWereNotSeen(write, job);
            return counted(job);
        }
        return write.is("patch", ResourceType.PODS) ? released(write) : List.of();
    }

    @Override
    public List<String> late(Write write, int created) {
        V1Pod pod = write.is("create", ResourceType.PODS) ? write.object(V1Pod.class) : null;
        if (!write.controller().equals(JobController.NAME) || pod == null) {
            return write.controller().equals(JobController.NAME) ? before(write) : List.of();
        }
        V1Job read = write.owner(pod, ResourceType.JOBS, V1Job.class);
        if (read == null) {
            return List.of();
        }
        long lacked = parallelism(read)
                - write.read(ResourceType.PODS, V1Pod.class).stream().filter(p -> owns(read, p) && isActive(p)).count();
        return created <= lacked ? List.of() : List.of(created + " pods, and it lacked " + lacked);
    }

    /** {@inheritDoc} The patch that removes the finalizer has no UID, but a pod's name is never used again. */
    @Override
    public boolean isHarmlessWhenLate(Write write) {
        return write.controller().equals(JobController.NAME) && write.is("patch", ResourceType.PODS);
    }

    private void lookForEnds() {
        for (V1Pod pod : truth.pods()) {
            V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
            if (owner != null && owner.getKind().equals("Job")) {
                if (hasSucceeded(pod)) {
                    succeeded.computeIfAbsent(owner.getUid(), u -> new HashSet<>()).add(uid(pod));
                } else if (!isActive(pod)) {
                    failed.computeIfAbsent(owner.getUid(), u -> new HashSet<>()).add(uid(pod));
                }
            }
        }
    }

    /**
     * A pod that succeeds counts as failed if the manager read that it runs, and ends it with its Job. That may happen
     * to upstream, too.
     */
    private void lookForEndsThatWereNotSeen(Write write, V1Job job) {
        for (V1Pod pod : truth.pods()) {
            V1Pod read = hasSucceeded(pod) && owns(job, pod) && pod.getMetadata().getDeletionTimestamp() != null
                    ? write.read(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod))
                    : null;
            if (read != null && !Truth.isFinished(read)) {
                failed.computeIfAbsent(uid(job), u -> new HashSet<>()).add(uid(pod));
            }
        }
    }

    private static boolean hasSucceeded(@Nullable V1Pod pod) {
        return pod != null && pod.getStatus() != null && "Succeeded".equals(pod.getStatus().getPhase());
    }

    private static int parallelism(V1Job job) {
        return job.getSpec().getParallelism() == null ? 1 : job.getSpec().getParallelism();
    }

    private List<String> created(Write write, V1Pod pod) {
        V1Job read = write.owner(pod, ResourceType.JOBS, V1Job.class);
        if (read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        boolean waits = "Failed".equals(read.getSpec().getPodReplacementPolicy());
        List<V1Pod> running = truth.pods().stream()
                .filter(p -> owns(read, p) && (isActive(p) || (waits && !Truth.isFinished(p)))).toList();
        if (running.size() + 1 > parallelism(read) + history.lateCreates()) {
            wrong.add("the Job " + name(read) + " runs " + (running.size() + 1) + " pods at a time, and it read that "
                    + parallelism(read) + " are allowed");
        }
        String index = index(pod);
        if (index != null && history.lateCreates() == 0 && running.stream().anyMatch(p -> index.equals(index(p)))) {
            wrong.add("the Job " + name(read) + " runs a second pod of index " + index);
        }
        if (index != null && read.getStatus() != null
                && indexes(read.getStatus().getCompletedIndexes()).contains(Integer.valueOf(index))) {
            wrong.add("the Job " + name(read) + " runs a pod of index " + index + ", which it read is complete");
        }
        return wrong;
    }

    private static @Nullable String index(V1Pod pod) {
        return pod.getMetadata().getAnnotations() == null ? null : pod.getMetadata().getAnnotations().get(INDEX);
    }

    private List<String> counted(V1Job written) {
        V1JobStatus status = written.getStatus();
        V1Job live = truth.get(ResourceType.JOBS, V1Job.class, name(written));
        if (status == null || live == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        compare(written, "succeeded", number(status.getSucceeded()) + uncounted(status, true).size(), succeeded, wrong);
        compare(written, "failed", number(status.getFailed()) + uncounted(status, false).size(), failed, wrong);
        V1JobStatus before = live.getStatus() == null ? new V1JobStatus() : live.getStatus();
        if (number(status.getSucceeded()) < number(before.getSucceeded())) {
            wrong.add("the Job " + name(written) + " forgets that " + before.getSucceeded() + " pods have succeeded");
        }
        Set<Integer> lost = indexes(before.getCompletedIndexes());
        lost.removeAll(indexes(status.getCompletedIndexes()));
        if (!lost.isEmpty()) {
            wrong.add("the Job " + name(written) + " loses the completed indexes " + lost);
        }
        return wrong;
    }

    private static void compare(V1Job job, String what, int counted, Map<String, Set<String>> ended,
            List<String> wrong) {
        int real = ended.getOrDefault(uid(job), Set.of()).size();
        if (counted > real) {
            wrong.add("the Job " + name(job) + " counts " + counted + " pods that have " + what + ", and " + real
                    + " have");
        }
    }

    private static int number(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static List<String> uncounted(@Nullable V1JobStatus status, boolean good) {
        if (status == null || status.getUncountedTerminatedPods() == null) {
            return List.of();
        }
        List<String> uids = good
                ? status.getUncountedTerminatedPods().getSucceeded()
                : status.getUncountedTerminatedPods().getFailed();
        return uids == null ? List.of() : uids;
    }

    private List<String> released(Write write) {
        V1Pod pod = truth.pod(write.request().key());
        V1OwnerReference owner = pod == null ? null : OwnerReferences.controllerOf(pod.getMetadata());
        if (owner == null || pod.getMetadata().getFinalizers() == null
                || !pod.getMetadata().getFinalizers().contains(FINALIZER)
                || !write.request().payload().toString().contains("$deleteFromPrimitiveList")
                || !hasSucceeded(write.read(ResourceType.PODS, V1Pod.class, write.request().key()))) {
            return List.of();
        }
        V1Job live = truth.get(ResourceType.JOBS, V1Job.class, owner.getName());
        if (live == null || !uid(live).equals(owner.getUid()) || live.getMetadata().getDeletionTimestamp() != null
                || isDone(live) || uncounted(live.getStatus(), true).contains(uid(pod))) {
            return List.of();
        }
        String index = index(pod);
        return index != null && live.getStatus() != null
                && indexes(live.getStatus().getCompletedIndexes()).contains(Integer.valueOf(index))
                        ? List.of()
                        : List.of("pod " + name(pod) + " has succeeded and loses its finalizer, and the Job "
                                + name(live) + " has not counted it");
    }

    private static boolean isDone(V1Job job) {
        return job.getStatus() != null && job.getStatus().getConditions() != null
                && job.getStatus().getConditions().stream().anyMatch(c -> c.getStatus().equals("True")
                        && Set.of("Complete", "Failed", "SuccessCriteriaMet", "FailureTarget").contains(c.getType()));
    }

    /** The numbers of a text such as {@code 1,3-5}. */
    private static Set<Integer> indexes(@Nullable String text) {
        Set<Integer> indexes = new TreeSet<>();
        for (String range : text == null || text.isEmpty() ? new String[0] : text.split(",", -1)) {
            String[] ends = range.split("-", -1);
            for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                indexes.add(i);
            }
        }
        return indexes;
    }

    @Override
    public List<String> atEnd() {
        return truth.pods().stream().filter(p -> Truth.isFinished(p) && p.getMetadata().getFinalizers() != null
                && p.getMetadata().getFinalizers().contains(FINALIZER))
                .map(p -> "pod " + name(p) + " has ended and keeps its finalizer").toList();
    }
}
