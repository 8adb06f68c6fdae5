package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.cronjob.CronJobController;

import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;

/**
 * A CronJob runs no time twice, runs nothing while it is suspended, and with the policies Forbid and Replace starts no
 * Job beside another one. Its history loses only Jobs that have ended.
 */
final class CronJobInvariants implements Invariant {
    private static final ResourceType CRON_JOBS = Api.type("cronjob");
    private final Truth truth;
    /** The UIDs of CronJobs, each with a time that ran. */
    private final Set<String> runs = new HashSet<>();

    CronJobInvariants(Truth truth) {
        this.truth = truth;
    }

    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(CronJobController.NAME)) {
            return List.of();
        }
        V1Job job = write.object(V1Job.class);
        if (job != null && write.is("create", ResourceType.JOBS)) {
            V1CronJob read = write.owner(job, CRON_JOBS, V1CronJob.class);
            return read == null ? List.of() : created(write, job, read);
        }
        V1Job victim = write.is("delete", ResourceType.JOBS)
                ? truth.get(ResourceType.JOBS, V1Job.class, write.request().key().name())
                : null;
        return victim == null ? List.of() : deleted(write, victim);
    }

    @Override
    public void after(Write write) {
        V1Job job = write.object(V1Job.class);
        if (job != null && write.controller().equals(CronJobController.NAME) && write.is("create", ResourceType.JOBS)) {
            runs.add(run(job));
        }
    }

    private static String run(V1Job job) {
        V1OwnerReference owner = OwnerReferences.controllerOf(job.getMetadata());
        return (owner == null ? "" : owner.getUid()) + " at "
                + job.getMetadata().getAnnotations().get("batch.kubernetes.io/cronjob-scheduled-timestamp");
    }

    private List<String> created(Write write, V1Job job, V1CronJob read) {
        List<String> wrong = new ArrayList<>();
        if (runs.contains(run(job))) {
            wrong.add("the CronJob " + name(read) + " runs a time twice: " + run(job));
        }
        if (Boolean.TRUE.equals(read.getSpec().getSuspend())) {
            wrong.add("the CronJob " + name(read) + " runs although it read that it is suspended");
        }
        // As in upstream, only Jobs in the status count: a Job whose creation did not get into it is forgotten.
        List<String> listed = read.getStatus() == null || read.getStatus().getActive() == null
                ? List.of()
                : read.getStatus().getActive().stream().map(V1ObjectReference::getName).toList();
        List<String> running = write.read(ResourceType.JOBS, V1Job.class).stream()
                .filter(j -> owns(read, j) && !hasEnded(j)).map(Truth::name)
                .filter(n -> listed.contains(n) && isRunning(truth.get(ResourceType.JOBS, V1Job.class, n))).toList();
        if (!"Allow".equals(read.getSpec().getConcurrencyPolicy()) && !running.isEmpty()) {
            wrong.add("the CronJob " + name(read) + " starts a Job beside " + running + ", and its policy is "
                    + read.getSpec().getConcurrencyPolicy());
        }
        return wrong;
    }

    private static boolean isRunning(@Nullable V1Job job) {
        return job != null && !hasEnded(job) && job.getMetadata().getDeletionTimestamp() == null;
    }

    private static boolean hasEnded(V1Job job) {
        return job.getStatus() != null && job.getStatus().getConditions() != null
                && job.getStatus().getConditions().stream().anyMatch(
                        c -> c.getStatus().equals("True") && Set.of("Complete", "Failed").contains(c.getType()));
    }

    private static List<String> deleted(Write write, V1Job victim) {
        V1Job read = write.read(ResourceType.JOBS, V1Job.class, ObjectKey.of(victim));
        V1CronJob cronJob = write.owner(victim, CRON_JOBS, V1CronJob.class);
        return read == null || cronJob == null || hasEnded(read)
                || "Replace".equals(cronJob.getSpec().getConcurrencyPolicy())
                        ? List.of()
                        : List.of("the Job " + name(victim) + " is deleted, and it read that it runs");
    }
}
