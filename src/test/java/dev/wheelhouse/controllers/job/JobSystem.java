package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.world.Cluster;

/** The controller of Jobs on a {@link Cluster}, stepped by one thread. The test plays the kubelets. */
final class JobSystem implements AutoCloseable {
    final Cluster cluster = new Cluster();
    private JobController controller = new JobController(cluster.context());

    /**
     * Creates the Job {@code work}, whose pods have one container.
     *
     * @param spec the other fields of its spec, in YAML
     */
    void create(String spec) {
        cluster.create(ResourceType.JOBS, V1Job.class, """
                {metadata: {namespace: default, name: work}, spec: {%s, template: {spec: {restartPolicy: Never,
                 containers: [{name: main, image: app}]}}}}""", spec);
    }

    /** Drops the controller's memory, as a crash does, and starts a new one. */
    void restart() {
        cluster.forgetCaches();
        controller = new JobController(cluster.context());
        settle();
    }

    /** Delivers everything and lets the workers run, with waits for the batching of changes, and not for a backoff. */
    void settle() {
        cluster.settle(controller.loops(), Duration.ofSeconds(2));
    }

    private V1Job job() {
        return cluster.read(ResourceType.JOBS, ObjectKey.of("default", "work"), V1Job.class);
    }

    /** The counts of active, succeeded and failed pods, and the types of the conditions. */
    String status() {
        V1JobStatus status = job().getStatus();
        return "active %s, succeeded %s, failed %s, %s".formatted(status.getActive(), status.getSucceeded(),
                status.getFailed(), Jobs.conditions(status).stream().map(c -> c.getType()).toList());
    }

    /** The pods in the order of their creation. */
    List<V1Pod> pods() {
        return cluster.all(ResourceType.PODS, V1Pod.class).stream()
                .filter(pod -> OwnerReferences.isControlledBy(pod, job().getMetadata()))
                .sorted(Comparator.comparing((V1Pod pod) -> pod.getMetadata().getCreationTimestamp())
                        .thenComparing(pod -> pod.getMetadata().getUid()))
                .toList();
    }

    List<V1Pod> active() {
        return pods().stream().filter(Pods::isActive).toList();
    }

    void end(V1Pod pod, String phase) {
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod), p -> p.getStatus().setPhase(phase));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
