/**
 * The CronJob controller: it creates a Job at each time that a CronJob's schedule names (upstream:
 * {@code pkg/controller/cronjob}). It reads CronJobs and Jobs from the informers' caches. It writes creations and
 * deletions of Jobs, the CronJobs' statuses, and Events. Start with
 * {@link dev.wheelhouse.controllers.cronjob.CronJobController}; {@code CronJobDecisions} is the pure decision, and
 * {@code MissedRuns} computes the times. The name of a Job follows from the time of its run, so that the API
 * server refuses a second Job for one time. Besides the queue, the state is which CronJobs were read live before their
 * first run.
 */
@NullMarked
package dev.wheelhouse.controllers.cronjob;

import org.jspecify.annotations.NullMarked;
