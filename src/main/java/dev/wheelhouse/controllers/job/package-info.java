/**
 * The Job controller: it runs the pods of each Job until enough of them have succeeded, or too many have failed. It
 * reads Jobs and pods from the informers' caches. It writes creations, deletions, adoptions and finalizers of pods, the
 * Jobs' statuses, and Events. Start with {@link dev.wheelhouse.controllers.job.JobController}. Decisions are pure
 * functions: {@code Assessment} of what has happened, {@code PodPlan} of what to do with the pods, {@code Tracking} of
 * the status. A finalizer on each pod guarantees that the status counts it exactly once. The only state is the backoff
 * after failures, which a restart forgets, as upstream's does.
 * {@link dev.wheelhouse.controllers.job.TtlAfterFinishedController} deletes Jobs some time after their end.
 */
@NullMarked
package dev.wheelhouse.controllers.job;

import org.jspecify.annotations.NullMarked;
