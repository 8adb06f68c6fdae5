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
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerRefManager;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Runs the pods of each Job until enough of them have succeeded, or too many have failed (upstream:
 * {@code pkg/controller/job/job_controller.go}). {@code JobSync} is one sync; {@code Assessment}, {@code PodPlan} and
 * {@code Tracking} decide.
 */
public final class JobController extends KeyedController<JobKey> {
    public static final String NAME = "job-controller";

    private static final Measure STALE_SYNCS = Measure.staleSyncs("job");

    /** Upstream's delays of failed keys. It has no limit per second; this one is out of reach. */
    static final RateLimits LIMITS = new RateLimits(Duration.ofSeconds(1), Duration.ofMinutes(1), 1_000, 10_000);

    /** The delays by key, each with the UID of its Job, because a Job of the same name may follow. */
    private final Map<ObjectKey, Remembered> backoffs = new ConcurrentHashMap<>();
    private final SharedIndexInformer<V1Job> jobs;
    private final OwnedObjects<V1Pod> pods;
    private final OrphanPods orphans;
    private final WorkQueue<JobKey> orphanKeys;
    private final Owners<V1Job> owners;

    private record Remembered(String uid, PodBackoff backoff) {}

    public JobController(ControllerContext context) {
        super(NAME, NAME, context, LIMITS, null);
        jobs = informerFor(ResourceType.JOBS, V1Job.class);
        SharedIndexInformer<V1Pod> podCache = informerFor(ResourceType.PODS, V1Pod.class);
        pods = new OwnedObjects<>(podCache);
        orphans = new OrphanPods(jobs, podCache);
        JobMetrics metrics = new JobMetrics(metrics()::record);
        owners = Owners.in(jobs, job -> job.getSpec().getSelector());
        orphanKeys = addQueue("job_orphan_pod", LIMITS);
        watch(jobs).first(metrics::changed).run(this::enqueue);
        watch(podCache).first(metrics::changedPod).when(change -> !change.isResync()).run(this::enqueueOwners);
    }

    /** A new or changed spec is synced at once. A change of the status is synced with others, a second later. */
    private void enqueue(Change<V1Job> change) {
        V1Job job = change.object();
        V1Job before = change.before();
        boolean replaced = change.alters(state -> state.getMetadata().getUid());
        boolean finished = change.isUpdate() && !replaced && Jobs.isFinished(job);
        if (before != null && (change.isDeletion() || replaced || finished)) {
            pods.controlledBy(before.getMetadata()).forEach(this::enqueueOrphan);
        }
        if (finished) {
            return;
        }
        if (change.isUpdate() && !replaced && !change.alters(state -> state.getMetadata().getGeneration())) {
            enqueueSoon(job);
        } else {
            queue.add(new JobKey.OfJob(ObjectKey.of(job)), change.priority());
        }
    }

    /** Changes of pods are synced together, a second later. A pod that no Job counts loses its finalizer. */
    private void enqueueOwners(Change<V1Pod> change) {
        V1Pod pod = change.object();
        boolean ending = change.isEnding();
        if (owners.controllerOf(pod) == null
                && (ending || OwnerReferences.controllerOf(pod.getMetadata()) == null)) {
            enqueueOrphan(pod);
        }
        owners.concernedBy(change).forEach(job -> {
            if (ending && Jobs.isFinished(job)) {
                enqueueOrphan(pod);
            } else {
                enqueueSoon(job);
            }
        });
    }

    private void enqueueSoon(V1Job job) {
        queue.addAfter(new JobKey.OfJob(ObjectKey.of(job)), PodPlan.BATCH_PERIOD);
    }

    private void enqueueOrphan(V1Pod pod) {
        if (JobPod.isTracked(pod)) {
            orphanKeys.add(new JobKey.OfOrphan(ObjectKey.of(pod)));
        }
    }

    @Override
    protected Measure staleSyncs() {
        return STALE_SYNCS;
    }

    @Override
    public ResourceType syncs() {
        return ResourceType.JOBS;
    }

    @Override
    protected @Nullable JobKey keyOf(String groupResource, ObjectKey object) {
        return ResourceType.JOBS.groupResource().equals(groupResource) && jobs.get(object) != null
                ? new JobKey.OfJob(object)
                : null;
    }

    @Override
    protected Result sync(JobKey key, SyncRun run) {
        if (key instanceof JobKey.OfOrphan) {
            return orphans.sync(key.object(), run);
        }
        V1Job job = jobs.get(key.object());
        if (job == null) {
            run.effect(() -> backoffs.remove(key.object()));
            run.forget();
            return Result.done();
        }
        return sync(job, run);
    }

    private Result sync(V1Job job, SyncRun run) {
        if (Jobs.isManagedByOther(job) || Jobs.isFinished(job)) {
            return Result.done();
        }
        String mode = job.getSpec().getCompletionMode();
        if (mode != null && !mode.equals("NonIndexed") && !mode.equals("Indexed")) {
            run.execute(List.of(new Action.Event(ResourceType.JOBS, job, EventRecorder.WARNING,
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
        JobMetrics metrics = new JobMetrics(run::count);
        JobSync sync = new JobSync(run, backoff(job), backoff -> remember(job, backoff), metrics, job, clock.now());
        Result result = sync.sync(
                ControllerRefManager.claim(job.getMetadata(), selector, pods.candidates(job.getMetadata())));
        metrics.synced(job, !(result instanceof Result.Retry), sync.action(), clock.nanoTime() - start);
        return result;
    }

    @Override
    protected @Nullable V1LabelSelector selects(JobKey key, ResourceType type) {
        V1Job job = key instanceof JobKey.OfJob ? jobs.get(key.object()) : null;
        return job == null || !type.equals(ResourceType.PODS) ? null : job.getSpec().getSelector();
    }

    private PodBackoff backoff(V1Job job) {
        Remembered remembered = backoffs.get(ObjectKey.of(job));
        return remembered != null && remembered.uid.equals(job.getMetadata().getUid())
                ? remembered.backoff
                : PodBackoff.NONE;
    }

    private void remember(V1Job job, PodBackoff backoff) {
        ObjectKey key = ObjectKey.of(job);
        if (backoff.equals(PodBackoff.NONE)) {
            backoffs.remove(key);
        } else {
            backoffs.put(key, new Remembered(String.valueOf(job.getMetadata().getUid()), backoff));
        }
    }
}
