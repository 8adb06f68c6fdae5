package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Job;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.job.TtlAfterFinishedController;

import static dev.wheelhouse.simulation.Truth.name;

/** A Job that has ended is deleted when the time in its spec has passed since, and no other Job is. */
record ExpiryInvariants(Truth truth, RunHistory history) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(TtlAfterFinishedController.NAME) || !write.is("delete", ResourceType.JOBS)) {
            return List.of();
        }
        V1Job job = truth.get(ResourceType.JOBS, V1Job.class, write.request().key().name());
        return job == null || hasExpired(job)
                ? List.of()
                : List.of("the Job " + name(job) + " expires at "
                        + expiry(job) + ", and is deleted at " + history.now());
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    @Override
    public List<String> atEnd() {
        return truth.list(ResourceType.JOBS, V1Job.class).stream()
                .filter(job -> job.getMetadata().getDeletionTimestamp() == null && hasExpired(job))
                .map(job -> "the Job " + name(job) + " stays, and has expired").toList();
    }

    private boolean hasExpired(V1Job job) {
        Instant expiry = expiry(job);
        return expiry != null && !expiry.isAfter(history.now());
    }

    private static @Nullable Instant expiry(V1Job job) {
        Integer seconds = job.getSpec().getTtlSecondsAfterFinished();
        return seconds == null || job.getStatus() == null || job.getStatus().getConditions() == null
                ? null
                : job.getStatus().getConditions().stream()
                        .filter(c -> List.of("Complete", "Failed").contains(c.getType())
                                && c.getStatus().equals("True"))
                        .findFirst().map(c -> c.getLastTransitionTime().toInstant().plusSeconds(seconds)).orElse(null);
    }
}
