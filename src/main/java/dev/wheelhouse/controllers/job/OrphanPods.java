package dev.wheelhouse.controllers.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Outage;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Removes the tracking finalizer of pods whose Job does not exist or has ended, because no Job will count them
 * (upstream: {@code syncOrphanPod} in {@code pkg/controller/job/job_controller.go}). It has a queue of its own, of the
 * pods' keys. Thread safe.
 */
final class OrphanPods {
    private final PodOwners<V1Job> jobs;
    private final SharedIndexInformer<V1Pod> pods;
    private final WorkQueue<ObjectKey> queue;
    private final ActionExecutor executor;
    private final ConsistencyStore consistency;
    private final List<Loop> workers = new ArrayList<>();

    OrphanPods(PodOwners<V1Job> jobs, SharedIndexInformer<V1Pod> pods, ControllerContext context) {
        this.jobs = jobs;
        this.pods = pods;
        this.queue = context.queue("job_orphan_pod", JobController.LIMITS);
        this.executor = context.executor(JobController.NAME);
        this.consistency = context.consistency(JobController.NAME);
        Outage<ObjectKey> outage = new Outage<>(queue, context.clock());
        for (int i = 0; i < context.workers(JobController.NAME); i++) {
            workers.add(new Worker<>(JobController.NAME, queue, outage, this::sync, context.clock(),
                    context.metrics()));
        }
    }

    /** Enqueues a pod that may be an orphan, if it has the finalizer. */
    void add(V1Pod pod) {
        if (JobPod.isTracked(pod)) {
            queue.add(ObjectKey.of(pod));
        }
    }

    private Result sync(ObjectKey key) {
        V1Pod pod = pods.get(key);
        if (pod == null || !JobPod.isTracked(pod) || isCounted(key, OwnerReferences.controllerOf(pod.getMetadata()))) {
            return Result.done();
        }
        // No Job has such a name, so that the record of this write is nobody else's.
        ObjectKey owner = new ObjectKey(key.namespace(), "pods/" + key.name());
        executor.begin(owner);
        try {
            return executor.execute(owner, List.of(JobSync.removeFinalizer(pod, "no Job counts it"))).toResult();
        } finally {
            executor.end(owner);
            consistency.forget(owner);
        }
    }

    /** Whether somebody else counts the pods of this controller. */
    private boolean isCounted(ObjectKey pod, @Nullable V1OwnerReference reference) {
        if (reference == null) {
            return false;
        }
        if (!ResourceType.JOBS.kind().equals(reference.getKind())
                || !ResourceType.JOBS.apiVersion().equals(reference.getApiVersion())) {
            return true;
        }
        V1Job job = jobs.get(new ObjectKey(pod.namespace(), reference.getName()));
        return job != null && Objects.equals(job.getMetadata().getUid(), reference.getUid())
                && (Jobs.isManagedByOther(job) || !Jobs.isFinished(job));
    }

    WorkQueue<ObjectKey> queue() {
        return queue;
    }

    List<Loop> workers() {
        return workers;
    }
}
