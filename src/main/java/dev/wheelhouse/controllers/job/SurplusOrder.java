package dev.wheelhouse.controllers.job;

import java.time.Instant;
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
final class SurplusOrder {
    /** A missing time goes first. */
    private static final Comparator<@Nullable Instant> YOUNGER_FIRST = Comparator
            .nullsFirst(Comparator.reverseOrder());
    private static final Comparator<V1Pod> OF_PODS = VictimRanking.BY_STAGE
            .thenComparing(Pods::readySince, YOUNGER_FIRST).thenComparing(VictimRanking.BY_RESTARTS)
            .thenComparing(Pods::created, YOUNGER_FIRST).thenComparing(VictimRanking.BY_UID);
    static final Comparator<JobPod> FIRST_TO_DELETE = Comparator.comparing(JobPod::pod, OF_PODS);

    private SurplusOrder() {}
}
