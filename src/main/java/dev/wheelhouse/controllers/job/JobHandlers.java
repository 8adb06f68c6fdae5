package dev.wheelhouse.controllers.job;

import java.util.Objects;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controllers.pods.OwnedHandler;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Event handlers: they enqueue the Jobs that a change concerns, and pods that no Job counts. A new or changed spec is
 * synced at once. Changes of pods and of the status are synced together, a second later.
 */
final class JobHandlers extends OwnedHandler<V1Job, V1Pod> {
    private final OwnedObjects<V1Pod> pods;
    private final WorkQueue<JobKey> queue;
    private final WorkQueue<JobKey> orphans;
    private final JobMetrics metrics;

    JobHandlers(PodOwners<V1Job> jobs, OwnedObjects<V1Pod> pods, WorkQueue<JobKey> queue, WorkQueue<JobKey> orphans,
            JobMetrics metrics) {
        super(jobs);
        this.pods = pods;
        this.queue = queue;
        this.orphans = orphans;
        this.metrics = metrics;
    }

    ResourceEventHandler<V1Job> ofJobs() {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1Job job, boolean initial) {
                queue.add(key(job), initial ? Priority.BACKGROUND : Priority.LIVE);
                metrics.appeared(job);
            }

            @Override
            public void onUpdate(V1Job before, V1Job after) {
                V1ObjectMeta then = before.getMetadata();
                V1ObjectMeta now = after.getMetadata();
                if (!Objects.equals(then.getUid(), now.getUid())) {
                    onDelete(before, true);
                } else if (Jobs.isFinished(after)) {
                    pods.controlledBy(now).forEach(JobHandlers.this::unowned);
                } else if (Objects.equals(then.getGeneration(), now.getGeneration())) {
                    soon(after);
                } else {
                    queue.add(key(after));
                }
            }

            @Override
            public void onDelete(V1Job job, boolean finalStateUnknown) {
                queue.add(key(job));
                pods.controlledBy(job.getMetadata()).forEach(JobHandlers.this::unowned);
            }
        };
    }

    private static JobKey key(V1Job job) {
        return new JobKey.OfJob(ObjectKey.of(job));
    }

    private void soon(V1Job job) {
        queue.addAfter(key(job), PodPlan.BATCH_PERIOD);
    }

    @Override
    protected void added(V1Job job, V1Pod pod, Priority priority) {
        soon(job);
    }

    @Override
    protected void updated(V1Job job, V1Pod before, V1Pod after) {
        soon(job);
    }

    @Override
    protected void deleted(V1Job job, V1Pod pod, boolean gone, Priority priority) {
        if (Jobs.isFinished(job)) {
            unowned(pod);
        } else {
            soon(job);
        }
    }

    @Override
    protected void adoptable(V1Job job, V1Pod pod, Priority priority) {
        soon(job);
    }

    @Override
    protected void unowned(V1Pod pod) {
        if (JobPod.isTracked(pod)) {
            orphans.add(new JobKey.OfOrphan(ObjectKey.of(pod)));
        }
    }
}
