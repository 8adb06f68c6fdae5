package dev.wheelhouse.controllers.cronjob;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.OwnKeys;
import dev.wheelhouse.controllers.pods.CachedOwners;
import dev.wheelhouse.controllers.pods.OwnerKeys;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.facts.CronSchedule;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * Event handlers: they enqueue the CronJobs that a change concerns. A changed schedule enqueues the CronJob for its
 * next time.
 *
 * @param local the time zone of schedules that name none
 */
record CronJobHandlers(SharedIndexInformer<V1CronJob> cronJobs, WorkQueue<ObjectKey> queue, EventRecorder events,
        Clock clock, ZoneId local) {

    void register(SharedIndexInformer<V1Job> jobs) {
        cronJobs.addEventHandler(new OfCronJobs());
        // A CronJob adopts no Jobs.
        jobs.addEventHandler(new OwnerKeys<>(new CachedOwners<>(cronJobs, cronJob -> null), queue));
    }

    private final class OfCronJobs extends OwnKeys<V1CronJob> {
        OfCronJobs() {
            super(queue);
        }

        @Override
        public void onUpdate(V1CronJob before, V1CronJob after) {
            if (Objects.equals(before.getSpec().getSchedule(), after.getSpec().getSchedule())
                    && Objects.equals(before.getSpec().getTimeZone(), after.getSpec().getTimeZone())) {
                super.onUpdate(before, after);
                return;
            }
            CronSchedule schedule;
            try {
                schedule = CronJobDecisions.scheduleOf(after.getSpec(), local);
            } catch (IllegalArgumentException e) {
                events.event(CronJobDecisions.CRON_JOBS, after, EventRecorder.WARNING, "UnParseableCronJobSchedule",
                        "unparseable schedule for cronjob: " + after.getSpec().getSchedule());
                return;
            }
            Duration next = MissedRuns.untilNext(after,
                    after.getStatus() == null ? null : after.getStatus().getLastScheduleTime(), schedule, clock.now());
            queue.addAfter(ObjectKey.of(after), next == null ? Duration.ZERO : next);
        }
    }
}
