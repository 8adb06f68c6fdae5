package dev.wheelhouse.controllers.cronjob;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;

/**
 * The input of a decision about one CronJob.
 *
 * @param jobs the Jobs that the CronJob controls, ordered by name
 * @param deleted the UIDs of those Jobs that this sync has deleted
 * @param missing the UIDs in {@code status.active} of Jobs that a live read did not find
 * @param now the time of the sync
 * @param local the time zone of schedules that name none
 */
record CronJobView(V1CronJob cronJob, List<V1Job> jobs, Set<String> deleted, Set<String> missing, Instant now,
        ZoneId local) {}
