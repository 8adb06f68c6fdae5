package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.cronjob.CronJobController;

import static dev.wheelhouse.simulation.Truth.uid;

/**
 * A CronJob never runs one time twice, runs nothing while it is suspended, and with the policy Forbid nothing beside a
 * Job that runs. It deletes no Job that runs, except with the policy Replace.
 */
final class CronJobInvariants implements Invariant {
    private static final ResourceType CRON_JOBS = Api.type("cronjob");
    private static final String TIME = "batch.kubernetes.io/cronjob-scheduled-timestamp";

    /** The UIDs of CronJobs with the times of their runs. */
    private final Set<String> runs = new HashSet<>();

    @Override
    public List<String> before(Write write) {
        List<String> wrong = new ArrayList<>(late(write, 0));
        V1Job job = created(write);
        if (job != null && runs.contains(run(job))) {
            wrong.add("the CronJob runs the time " + time(job) + " twice");
        }
        return wrong;
    }

    /** {@inheritDoc} A deposed manager may not know of a run whose Job is deleted. */
    @Override
    public List<String> late(Write write, int created) {
        if (!write.controller().equals(CronJobController.NAME)) {
            return List.of();
        }
        V1Job job = created(write);
        if (job != null) {
            return startedFor(write, job);
        }
        return write.is("delete", ResourceType.JOBS) ? deleted(write) : List.of();
    }

    @Override
    public void after(Write write) {
        V1Job job = created(write);
        if (job != null) {
            runs.add(run(job));
        }
    }

    private static @Nullable V1Job created(Write write) {
        return write.controller().equals(CronJobController.NAME) && write.is("create", ResourceType.JOBS)
                ? write.object(V1Job.class)
                : null;
    }

    private static String run(V1Job job) {
        return OwnerReferences.of(job.getMetadata()).getFirst().getUid() + " " + time(job);
    }

    private static String time(V1Job job) {
        return Objects.requireNonNull(job.getMetadata().getAnnotations()).get(TIME);
    }

    private static List<String> startedFor(Write write, V1Job job) {
        V1CronJob read = readOwner(write, OwnerReferences.controllerOf(job.getMetadata()));
        if (read == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (Boolean.TRUE.equals(read.getSpec().getSuspend())) {
            wrong.add("a run starts although the CronJob is suspended");
        }
        if ("Forbid".equals(read.getSpec().getConcurrencyPolicy()) && read.getStatus() != null) {
            write.read(ResourceType.JOBS, V1Job.class).stream()
                    .filter(j -> !isFinished(j) && read.getStatus().getActive().stream()
                            .anyMatch(a -> uid(j).equals(a.getUid())))
                    .forEach(j -> wrong.add("a run starts beside " + Truth.name(j) + ", which the policy forbids"));
        }
        return wrong;
    }

    private static List<String> deleted(Write write) {
        V1Job read = write.read(ResourceType.JOBS, V1Job.class, write.request().key());
        V1CronJob owner = read == null ? null : readOwner(write, OwnerReferences.controllerOf(read.getMetadata()));
        return owner == null || isFinished(read) || "Replace".equals(owner.getSpec().getConcurrencyPolicy())
                ? List.of()
                : List.of("the CronJob deletes " + Truth.name(read) + ", which runs");
    }

    private static @Nullable V1CronJob readOwner(Write write, @Nullable V1OwnerReference owner) {
        return owner == null
                ? null
                : write.read(CRON_JOBS, V1CronJob.class,
                        new ObjectKey(write.request().key().namespace(), owner.getName()));
    }

    private static boolean isFinished(V1Job job) {
        return job.getStatus() != null && job.getStatus().getConditions() != null
                && job.getStatus().getConditions().stream().anyMatch(
                        c -> Set.of("Complete", "Failed").contains(c.getType()) && "True".equals(c.getStatus()));
    }
}
