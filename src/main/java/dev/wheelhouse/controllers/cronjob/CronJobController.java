package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1CronJobStatus;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.OwnedObjects;
import dev.wheelhouse.controller.Owners;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.cronjob.CronJobDecisions.Decision;
import dev.wheelhouse.controllers.cronjob.CronJobDecisions.Run;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Creates the Jobs of CronJobs at the times of their schedules, and deletes old ones (upstream:
 * {@code pkg/controller/cronjob/cronjob_controllerv2.go}). {@code CronJobDecisions} decides. A
 * schedule without a time zone is read in the default time zone of the process, as upstream's.
 */
public final class CronJobController extends ObjectController<V1CronJob> {
    public static final String NAME = "cronjob-controller";

    private static final Measure SKEW = Measure.histogram("cronjob_controller_job_creation_skew_duration_seconds",
            "Time from a scheduled run to the creation of its Job in seconds", 1, 10);

    private final OwnedObjects<V1Job> jobs;
    private final ResourceClient<V1CronJob> liveCronJobs;
    private final ResourceClient<V1Job> liveJobs;
    private final EventRecorder events;
    private final ZoneId local = ZoneId.systemDefault();
    /**
     * The UIDs of the CronJobs whose cached status was confirmed by a live read. The first list of a process may be
     * older than the last run of the process before, whose Job may be gone already, so that its name does not stop a
     * second one. Afterwards a key waits for its own writes.
     */
    private final Map<ObjectKey, String> confirmed = memory();

    public CronJobController(ControllerContext context) {
        super(NAME, context, CronJobDecisions.CRON_JOBS, V1CronJob.class);
        SharedIndexInformer<V1Job> jobCache = informerFor(ResourceType.JOBS, V1Job.class);
        jobs = new OwnedObjects<>(jobCache);
        liveCronJobs = context.client().resource(CronJobDecisions.CRON_JOBS, V1CronJob.class);
        liveJobs = context.client().resource(ResourceType.JOBS, V1Job.class);
        events = events(NAME);
        watch(primary).run(this::enqueue);
        // A CronJob adopts no Jobs.
        watch(jobCache).enqueueFor(Owners.in(primary, cronJob -> null)::keys);
    }

    /** A changed schedule enqueues the CronJob for its next time. */
    private void enqueue(Change<V1CronJob> change) {
        V1CronJob cronJob = change.object();
        V1CronJobStatus status = cronJob.getStatus();
        if (!change.alters(state -> state.getSpec().getSchedule())
                && !change.alters(state -> state.getSpec().getTimeZone())) {
            queue.add(ObjectKey.of(cronJob), change.priority());
            return;
        }
        try {
            Duration next = MissedRuns.untilNext(cronJob, status == null ? null : status.getLastScheduleTime(),
                    CronJobDecisions.scheduleOf(cronJob.getSpec(), local), clock.now());
            queue.addAfter(ObjectKey.of(cronJob), next == null ? Duration.ZERO : next);
        } catch (IllegalArgumentException e) {
            events.event(CronJobDecisions.CRON_JOBS, cronJob, EventRecorder.WARNING, "UnParseableCronJobSchedule",
                    "unparseable schedule for cronjob: " + cronJob.getSpec().getSchedule());
        }
    }

    @Override
    protected Result sync(ObjectKey key, V1CronJob cronJob, SyncRun run) {
        return new Sync(key, run).sync(cronJob);
    }

    /** One sync of one CronJob: shorten the history, decide, start the run that is due, report the status. */
    private final class Sync {
        private final ObjectKey key;
        private final SyncRun run;

        Sync(ObjectKey key, SyncRun run) {
            this.key = key;
            this.run = run;
        }

        Result sync(V1CronJob cached) {
            List<V1Job> owned = jobs.controlledBy(cached.getMetadata()).stream()
                    .sorted(Comparator.comparing(job -> String.valueOf(job.getMetadata().getName()))).toList();
            Set<String> deleted = shortenHistory(cached, owned);
            V1CronJob cronJob;
            Decision decision;
            try {
                cronJob = newest(cached, owned);
                decision = decide(cronJob, owned, deleted);
                if (decision.run() != null && !isConfirmed(cronJob)) {
                    cronJob = confirmed(cronJob);
                    decision = decide(cronJob, owned, deleted);
                }
            } catch (KubeApiException unread) {
                return Result.retry(unread);
            }
            run.execute(decision.events());
            return decision.run() == null
                    ? report(cronJob, decision.status(), decision.next()).toResult()
                    : start(cronJob, decision, decision.run());
        }

        private Decision decide(V1CronJob cronJob, List<V1Job> owned, Set<String> deleted) {
            return CronJobDecisions.decide(new CronJobView(cronJob, owned, deleted, missing(cronJob, owned, deleted),
                    clock.now(), local));
        }

        private boolean isConfirmed(V1CronJob cronJob) {
            return String.valueOf(cronJob.getMetadata().getUid()).equals(confirmed.get(key));
        }

        private V1CronJob confirmed(V1CronJob cronJob) {
            V1CronJob live = liveCronJobs.get(key);
            if (Objects.equals(live.getMetadata().getResourceVersion(), cronJob.getMetadata().getResourceVersion())) {
                run.note(() -> confirmed.put(key, String.valueOf(live.getMetadata().getUid())));
            }
            return live;
        }

        /** Deletes the finished Jobs beyond the limits. @return the UIDs of the deleted ones */
        private Set<String> shortenHistory(V1CronJob cronJob, List<V1Job> owned) {
            Set<String> deleted = new HashSet<>();
            for (V1Job job : FinishedJobs.surplus(cronJob, owned)) {
                String uid = String.valueOf(job.getMetadata().getUid());
                if (delete(cronJob, String.valueOf(job.getMetadata().getName()), uid, "its history is full") == null) {
                    deleted.add(uid);
                }
            }
            return deleted;
        }

        private @Nullable KubeApiException delete(V1CronJob cronJob, String job, String uid, String why) {
            Outcome outcome = run.execute(List.of(new Action.Delete(ResourceType.JOBS,
                    ObjectKey.of(key.namespace(), job), Deletion.ofUid(uid).withPropagation("Background"), why)));
            KubeApiException error = outcome.attempts().getFirst().error();
            run.execute(List.of(error == null
                    ? CronJobDecisions.event(cronJob, "Normal", "SuccessfulDelete", "Deleted job " + job)
                    : CronJobDecisions.event(cronJob, "Warning", "FailedDelete",
                            "Deleted job: " + error.statusMessage())));
            return error;
        }

        /** The CronJob of a live read if a running Job is not in the cached status, which may then be outdated. */
        private V1CronJob newest(V1CronJob cached, List<V1Job> owned) {
            Set<String> active = CronJobDecisions.activeUids(cached.getStatus());
            boolean known = owned.stream().allMatch(job -> active.contains(job.getMetadata().getUid())
                    || FinishedJobs.outcome(job) != null);
            return known ? cached : liveCronJobs.get(key);
        }

        /** The UIDs in {@code status.active} of Jobs that neither the cache nor a live read finds. */
        private Set<String> missing(V1CronJob cronJob, List<V1Job> owned, Set<String> deleted) {
            return CronJobDecisions.activeOf(cronJob.getStatus()).stream()
                    .filter(job -> !deleted.contains(job.getUid())
                            && owned.stream().noneMatch(o -> Objects.equals(job.getUid(), o.getMetadata().getUid()))
                            && !exists(job))
                    .map(V1ObjectReference::getUid).collect(Collectors.toSet());
        }

        /** Users may write an incomplete reference into the status. It names no Job. */
        private boolean exists(V1ObjectReference job) {
            return job.getNamespace() != null && job.getName() != null && job.getUid() != null
                    && liveJobs.find(ObjectKey.of(job.getNamespace(), job.getName()))
                            .filter(live -> job.getUid().equals(live.getMetadata().getUid())).isPresent();
        }

        private Result start(V1CronJob cronJob, Decision decision, Run next) {
            V1CronJobStatus status = decision.status();
            for (V1ObjectReference job : next.replaced()) {
                KubeApiException error = delete(cronJob, job.getName(), job.getUid(), "the next run replaces it");
                if (error != null) {
                    return failed(cronJob, status, error);
                }
                status.getActive().remove(job);
            }
            Outcome created = run.execute(List.of(new Action.Create(ResourceType.JOBS, next.job(),
                    "it is due since " + next.time())));
            KubeApiException error = created.error();
            if (error == null) {
                V1ObjectMeta job = created.written().getFirst().getMetadata();
                if (job.getCreationTimestamp() != null) {
                    run.count(SKEW, Duration.between(next.time(), job.getCreationTimestamp().toInstant()).toSeconds());
                }
                run.execute(List.of(CronJobDecisions.event(cronJob, "Normal", "SuccessfulCreate",
                        "Created job " + job.getName())));
                return report(cronJob, CronJobDecisions.started(status, next, job), decision.next()).toResult();
            }
            if (error.isAlreadyExists()) {
                return found(cronJob, decision, next, status);
            }
            if (!error.isNamespaceTerminating()) {
                run.execute(List.of(CronJobDecisions.event(cronJob, "Warning", "FailedCreate",
                        "Error creating job: " + error.statusMessage())));
            }
            return failed(cronJob, status, error);
        }

        /** Takes over the Job of a run whose start did not get into the status. Another's Job is left alone. */
        private Result found(V1CronJob cronJob, Decision decision, Run next, V1CronJobStatus status) {
            V1Job job;
            try {
                job = liveJobs.get(ObjectKey.of(next.job()));
            } catch (KubeApiException unread) {
                return failed(cronJob, status, unread);
            }
            boolean taken = OwnerReferences.isControlledBy(job, cronJob.getMetadata())
                    && !CronJobDecisions.activeUids(status).contains(job.getMetadata().getUid());
            return report(cronJob, taken ? CronJobDecisions.started(status, next, job.getMetadata()) : status,
                    decision.next()).toResult();
        }

        private Result failed(V1CronJob cronJob, V1CronJobStatus status, KubeApiException error) {
            Outcome reported = report(cronJob, status, null);
            return reported.succeeded() ? Result.retry(error) : reported.toResult();
        }

        private Outcome report(V1CronJob cronJob, V1CronJobStatus status, @Nullable Duration next) {
            List<Action> actions = new ArrayList<>();
            if (!status.equals(cronJob.getStatus() == null ? new V1CronJobStatus() : cronJob.getStatus())) {
                V1CronJob changed = ModelJson.shallowCopy(cronJob);
                changed.setStatus(status);
                actions.add(new Action.UpdateStatus(CronJobDecisions.CRON_JOBS, changed, "its jobs have changed"));
            }
            if (next != null) {
                actions.add(new Action.RequeueAfter(next));
            }
            return run.execute(actions);
        }
    }
}
