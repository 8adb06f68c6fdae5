package dev.wheelhouse.controllers.cronjob;

import java.time.ZoneId;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Event handlers: they enqueue the CronJobs that a change concerns. A changed schedule enqueues the CronJob for its
 * next time.
 *
 * @param local the time zone of schedules that name none
 */
record CronJobHandlers(SharedIndexInformer<V1CronJob> cronJobs, WorkQueue<ObjectKey> queue, ActionExecutor executor,
        Clock clock, ZoneId local) {

    void register(SharedIndexInformer<V1Job> jobs) {
        cronJobs.addEventHandler(new OfCronJobs());
        jobs.addEventHandler(new OfJobs());
    }

    private final class OfCronJobs implements ResourceEventHandler<V1CronJob> {
        @Override
        public void onAdd(V1CronJob cronJob, boolean initial) {
            queue.add(ObjectKey.of(cronJob), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1CronJob before, V1CronJob after) {
            ObjectKey key = ObjectKey.of(after);
            if (Objects.equals(before.getSpec().getSchedule(), after.getSpec().getSchedule())
                    && Objects.equals(before.getSpec().getTimeZone(), after.getSpec().getTimeZone())) {
                queue.add(key);
                return;
            }
            CronSchedule schedule;
            try {
                schedule = CronJobDecisions.scheduleOf(after.getSpec(), local);
            } catch (IllegalArgumentException e) {
                executor.execute(key, List.of(CronJobDecisions.event(after, "Warning", "UnParseableCronJobSchedule",
                        "unparseable schedule for cronjob: " + after.getSpec().getSchedule())));
                return;
            }
            queue.addAfter(key, MissedRuns.untilNext(after,
                    after.getStatus() == null ? null : after.getStatus().getLastScheduleTime(), schedule,
                    clock.now()));
        }

        @Override
        public void onDelete(V1CronJob cronJob, boolean finalStateUnknown) {
            queue.add(ObjectKey.of(cronJob));
        }
    }

    private final class OfJobs implements ResourceEventHandler<V1Job> {
        @Override
        public void onAdd(V1Job job, boolean initial) {
            wake(job, OwnerReferences.controllerOf(job.getMetadata()), initial ? Priority.BACKGROUND : Priority.LIVE);
        }

        @Override
        public void onUpdate(V1Job before, V1Job after) {
            if (Objects.equals(before.getMetadata().getResourceVersion(), after.getMetadata().getResourceVersion())) {
                return;
            }
            V1OwnerReference was = OwnerReferences.controllerOf(before.getMetadata());
            V1OwnerReference is = OwnerReferences.controllerOf(after.getMetadata());
            if (!Objects.equals(was, is)) {
                wake(before, was, Priority.LIVE);
            }
            wake(after, is, Priority.LIVE);
        }

        @Override
        public void onDelete(V1Job job, boolean finalStateUnknown) {
            wake(job, OwnerReferences.controllerOf(job.getMetadata()), Priority.LIVE);
        }

        private void wake(V1Job job, @Nullable V1OwnerReference owner, Priority priority) {
            if (owner == null || !CronJobDecisions.CRON_JOBS.kind().equals(owner.getKind())) {
                return;
            }
            ObjectKey key = ObjectKey.of(job.getMetadata().getNamespace(), owner.getName());
            V1CronJob cronJob = cronJobs.get(key);
            if (cronJob != null && Objects.equals(cronJob.getMetadata().getUid(), owner.getUid())) {
                queue.add(key, priority);
            }
        }
    }
}
