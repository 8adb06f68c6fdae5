package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.ControllerOfPods;

import static dev.wheelhouse.api.Absent.orZero;

/** The controller of Jobs. */
final class JobSystem extends ControllerOfPods<JobController> {
    /** The longest delay that the system waits for when it settles: the batching of changes, and no backoff. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    JobSystem() {
        super(JobController::new);
    }

    /**
     * Creates a Job whose pods have one container.
     *
     * @param spec the other fields of its spec, in YAML
     */
    V1Job create(String name, String spec) {
        return cluster.create(ResourceType.JOBS, V1Job.class, """
                {apiVersion: batch/v1, kind: Job, metadata: {namespace: default, name: %s}, spec: {%s%s}}""", name,
                spec.isEmpty() ? "" : spec + (spec.contains("template:") ? "" : ", "),
                spec.contains("template:") ? "" : TEMPLATE);
    }

    static final String TEMPLATE = "template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}}";

    V1Job job(String name) {
        return cluster.read(ResourceType.JOBS, key(name), V1Job.class);
    }

    V1JobStatus status(String name) {
        V1JobStatus status = job(name).getStatus();
        return status == null ? new V1JobStatus() : status;
    }

    /** The conditions that are true, as {@code Type: Reason: Message}, in order. */
    List<String> conditions(String name) {
        return Jobs.conditions(status(name)).stream().filter(c -> c.getStatus().equals("True"))
                .map(c -> c.getType() + ": " + c.getReason() + ": " + c.getMessage()).toList();
    }

    /** The counts of the status: active, ready, terminating, succeeded, failed. */
    String counts(String name) {
        V1JobStatus status = status(name);
        return "active %d, ready %d, terminating %d, succeeded %d, failed %d".formatted(orZero(status.getActive()),
                orZero(status.getReady()), orZero(status.getTerminating()), orZero(status.getSucceeded()),
                orZero(status.getFailed()));
    }

    void patch(String name, String body) {
        cluster.user().metadata(ResourceType.JOBS).patch(key(name), "", PatchType.MERGE, body);
    }

    void suspend(String name, boolean suspend) {
        patch(name, "{\"spec\": {\"suspend\": " + suspend + "}}");
    }

    /** Delivers everything and lets the workers run, with short waits, until nothing happens any more. */
    @Override
    public void settle() {
        settle(PATIENCE);
    }

    /** Lets time pass, and then settles. */
    void after(Duration time) {
        cluster.clock.advance(time);
        settle();
    }

    List<Loop> loops() {
        return controller.loops();
    }

    // ---- pods

    /** The pods of a Job in the order of their creation. */
    List<V1Pod> pods(String job) {
        List<V1Pod> pods = new ArrayList<>(podsOf(job(job)));
        pods.sort(Comparator.comparing((V1Pod pod) -> pod.getMetadata().getCreationTimestamp())
                .thenComparing(pod -> pod.getMetadata().getUid()));
        return pods;
    }

    List<V1Pod> active(String job) {
        return pods(job).stream().filter(Pods::isActive).toList();
    }

    /** The completion indexes of the active pods, in order. */
    List<Integer> activeIndexes(String job) {
        return active(job).stream().map(pod -> JobPod.of(pod).index()).sorted().toList();
    }

    /** The active pod of an index. */
    V1Pod pod(String job, int index) {
        return active(job).stream().filter(pod -> JobPod.of(pod).index() == index).findFirst().orElseThrow();
    }

    private OffsetDateTime now() {
        return cluster.clock.now().atOffset(ZoneOffset.UTC);
    }

    void ready(V1Pod pod) {
        phase(pod, "hollow-0", "Running", true);
    }

    void succeed(V1Pod pod) {
        end(pod, "Succeeded", 0);
    }

    void fail(V1Pod pod) {
        fail(pod, 1);
    }

    void fail(V1Pod pod, int exitCode) {
        end(pod, "Failed", exitCode);
    }

    private void end(V1Pod pod, String phase, int exitCode) {
        editPod(pod, p -> p.setStatus(new V1PodStatus().phase(phase).containerStatuses(List.of(new V1ContainerStatus()
                .name("main").image("app").imageID("").ready(false).restartCount(0)
                .state(new V1ContainerState().terminated(new V1ContainerStateTerminated().exitCode(exitCode)
                        .finishedAt(now())))))));
    }

    void fail(V1Pod pod, String condition) {
        editPod(pod, p -> p.setStatus(new V1PodStatus().phase("Failed").conditions(List.of(new V1PodCondition()
                .type(condition).status("True").lastTransitionTime(now())))));
    }

    /** Begins the deletion of a pod, as a user does. */
    void delete(V1Pod pod) {
        cluster.delete(ResourceType.PODS, ObjectKey.of(pod));
    }

    /** Ends the deletion of a pod, as its kubelet does once the containers have stopped. */
    void endDeletion(V1Pod pod) {
        fail(pod, 137);
        cluster.delete(ResourceType.PODS, ObjectKey.of(pod), new Deletion(0L, null, null, null));
    }

    boolean exists(V1Pod pod) {
        return cluster.exists(ResourceType.PODS, ObjectKey.of(pod));
    }

    boolean isTracked(V1Pod pod) {
        return exists(pod) && JobPod.isTracked(cluster.read(ResourceType.PODS, ObjectKey.of(pod), V1Pod.class));
    }

    Map<String, String> annotations(V1Pod pod) {
        return pod.getMetadata().getAnnotations() == null ? Map.of() : pod.getMetadata().getAnnotations();
    }
}
