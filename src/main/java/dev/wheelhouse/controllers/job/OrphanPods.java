package dev.wheelhouse.controllers.job;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Removes the tracking finalizer of pods whose Job does not exist or has ended, because no Job will count them
 * (upstream: {@code syncOrphanPod} in {@code pkg/controller/job/job_controller.go}). Thread safe.
 */
record OrphanPods(SharedIndexInformer<V1Job> jobs, SharedIndexInformer<V1Pod> pods) {

    Result sync(ObjectKey key, SyncRun run) {
        V1Pod pod = pods.get(key);
        if (pod == null || !JobPod.isTracked(pod) || isCounted(key, OwnerReferences.controllerOf(pod.getMetadata()))) {
            run.forget();
            return Result.done();
        }
        Outcome outcome = run.execute(List.of(JobSync.removeFinalizer(pod, "no Job counts it")));
        if (outcome.succeeded()) {
            // The pod is not queued again.
            run.forget();
        }
        return outcome.toResult();
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
}
