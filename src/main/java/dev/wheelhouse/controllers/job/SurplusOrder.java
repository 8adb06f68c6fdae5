package dev.wheelhouse.controllers.job;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.controllers.pods.VictimRanking;

/**
 * Orders active pods by which to delete first if there are too many: pods in an earlier stage before those in a later
 * one, then younger before older (upstream: {@code ActivePods} in {@code pkg/controller/controller_utils.go}). Unlike
 * {@link VictimRanking} it knows neither deletion costs nor nodes. Of equal pods the UID decides here, chance in
 * upstream.
 */
final class SurplusOrder implements Comparator<JobPod> {
    static final SurplusOrder FIRST_TO_DELETE = new SurplusOrder();

    private SurplusOrder() {}

    @Override
    public int compare(JobPod left, JobPod right) {
        V1Pod a = left.pod();
        V1Pod b = right.pod();
        int order = VictimRanking.compareStages(a, b);
        if (order == 0 && Pods.isReady(a)) {
            order = youngerFirst(Pods.readySince(a), Pods.readySince(b));
        }
        if (order == 0) {
            order = VictimRanking.compareRestarts(a, b);
        }
        if (order == 0) {
            order = youngerFirst(created(a), created(b));
        }
        return order != 0 ? order : VictimRanking.compareUids(a, b);
    }

    /** Orders by age. A missing time goes first. */
    private static int youngerFirst(@Nullable Instant a, @Nullable Instant b) {
        return a == null || b == null ? Boolean.compare(a != null, b != null) : b.compareTo(a);
    }

    private static @Nullable Instant created(V1Pod pod) {
        OffsetDateTime time = pod.getMetadata().getCreationTimestamp();
        return time == null ? null : time.toInstant();
    }
}
