package dev.wheelhouse.controllers.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.RecordingExecutor;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controllers.pods.CachedOwners;
import dev.wheelhouse.controllers.pods.PodOwners;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Runs the pods of each Job until enough of them have succeeded, or too many have failed (upstream:
 * {@code pkg/controller/job/job_controller.go}). {@code JobSync} is one sync; {@code Assessment}, {@code PodPlan} and
 * {@code Tracking} decide; {@code JobHandlers} enqueues keys.
 */
public final class JobController extends ObjectController<V1Job> {
    public static final String NAME = "job-controller";

    private static final Measure STALE_SYNCS = Measure.staleSyncs("job");

    /** Upstream's delays of failed keys. It has no limit per second; this one is out of reach. */
    static final RateLimits LIMITS = new RateLimits(Duration.ofSeconds(1), Duration.ofMinutes(1), 1_000, 10_000);

    /** The delays by key, each with the UID of its Job, because a Job of the same name may follow. */
    private final Map<ObjectKey, Remembered> backoffs = new ConcurrentHashMap<>();
    private final OwnedObjects<V1Pod> pods;
    private final JobMetrics metrics;

    private record Remembered(String uid, PodBackoff backoff) {}

    public JobController(ControllerContext context) {
        super(NAME, NAME, context, LIMITS, null, ResourceType.JOBS, V1Job.class);
        SharedIndexInformer<V1Pod> podCache = informerFor(ResourceType.PODS, V1Pod.class);
        PodOwners<V1Job> jobs = new CachedOwners<>(primary, job -> job.getSpec().getSelector());
        pods = new OwnedObjects<>(podCache);
        OrphanPods orphans = new OrphanPods(jobs, podCache, context);
        addQueue(orphans.queue(), orphans.workers());
        metrics = new JobMetrics(context.metrics());
        JobHandlers handlers = new JobHandlers(jobs, pods, queue, orphans, metrics);
        primary.addEventHandler(handlers.ofJobs());
        podCache.addEventHandler(metrics.before(handlers));
    }

    @Override
    protected Measure staleSyncs() {
        return STALE_SYNCS;
    }

    @Override
    protected Result gone(ObjectKey key) {
        backoffs.remove(key);
        return super.gone(key);
    }

    @Override
    protected Result sync(ObjectKey key, V1Job job) {
        return sync(job, executor);
    }

    private Result sync(V1Job job, ActionExecutor with) {
        if (Jobs.isManagedByOther(job) || Jobs.isFinished(job)) {
            return Result.done();
        }
        String mode = job.getSpec().getCompletionMode();
        if (mode != null && !mode.equals("NonIndexed") && !mode.equals("Indexed")) {
            with.execute(ObjectKey.of(job), List.of(new Action.Event(ResourceType.JOBS, job, EventRecorder.WARNING,
                    "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown")));
            return Result.done();
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.of(job.getSpec().getSelector());
        } catch (IllegalArgumentException e) {
            return Result.terminal("spec.selector: " + e.getMessage());
        }
        long start = clock.nanoTime();
        JobMetrics counts = with.writes() ? metrics : JobMetrics.NONE;
        JobSync sync = new JobSync(with, new Memory(with.writes()), counts, job, clock.now());
        Result result = sync.sync(
                ControllerRefManager.claim(job.getMetadata(), selector, pods.candidates(job.getMetadata())));
        counts.synced(job, !(result instanceof Result.Retry), sync.action(), clock.nanoTime() - start);
        return result;
    }

    @Override
    protected @Nullable V1LabelSelector selects(ObjectKey key, ResourceType type) {
        V1Job job = primary.get(key);
        return job == null || !type.equals(ResourceType.PODS) ? null : job.getSpec().getSelector();
    }

    @Override
    protected List<Action> plan(ObjectKey key, V1Job job) {
        RecordingExecutor plan = new RecordingExecutor();
        if (sync(job, plan) instanceof Result.Terminal terminal) {
            throw new IllegalArgumentException(terminal.reason());
        }
        return plan.recorded();
    }

    /** The memory of one sync. A sync that only plans remembers nothing. */
    private final class Memory implements JobSync.Memory {
        private final boolean writes;

        Memory(boolean writes) {
            this.writes = writes;
        }

        @Override
        public PodBackoff backoff(V1Job job) {
            Remembered remembered = backoffs.get(ObjectKey.of(job));
            return remembered != null && remembered.uid.equals(job.getMetadata().getUid())
                    ? remembered.backoff
                    : PodBackoff.NONE;
        }

        @Override
        public void remember(V1Job job, PodBackoff backoff) {
            ObjectKey key = ObjectKey.of(job);
            if (!writes) {
                return;
            }
            if (backoff.equals(PodBackoff.NONE)) {
                backoffs.remove(key);
            } else {
                backoffs.put(key, new Remembered(String.valueOf(job.getMetadata().getUid()), backoff));
            }
        }

        @Override
        public void deleted(V1Job job, V1Pod pod) {
            if (writes) {
                JobController.this.deleted(ObjectKey.of(job), ResourceType.PODS, pod);
            }
        }
    }
}
