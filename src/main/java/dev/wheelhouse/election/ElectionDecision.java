package dev.wheelhouse.election;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.client.ModelJson;

/**
 * The next step for a Lease (upstream: {@code tryAcquireOrRenew} and {@code release} in client-go
 * {@code leaderelection.go}).
 */
sealed interface ElectionDecision {
    /** There is no Lease: create this one. */
    record Create(V1Lease lease) implements ElectionDecision {}

    /** The Lease is free, expired or already held by this contender: write it at the version that was read. */
    record Take(V1Lease lease) implements ElectionDecision {}

    /** Another contender holds the Lease. */
    record Wait(String holder) implements ElectionDecision {}

    /**
     * Decides the next step. The times in the Lease come from another machine's clock and are ignored.
     *
     * @param lease the Lease as read last; null if there is none
     * @param unchangedFor the time since this contender first saw the Lease in its current state
     * @param now the time to write into the Lease
     */
    static ElectionDecision decide(ElectionOptions options, @Nullable V1Lease lease, Duration unchangedFor,
            Instant now) {
        if (lease == null) {
            return new Create(held(options, null, now));
        }
        boolean free = unchangedFor.compareTo(freeAfter(options, lease)) >= 0;
        return free || holder(lease).equals(options.identity())
                ? new Take(held(options, lease, now))
                : new Wait(holder(lease));
    }

    /** The time after which another contender may take the Lease if it does not change; zero if nobody holds it. */
    static Duration freeAfter(ElectionOptions options, V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        if (holder(lease).isEmpty()) {
            return Duration.ZERO;
        }
        Integer seconds = spec == null ? null : spec.getLeaseDurationSeconds();
        return Duration.ofSeconds(seconds == null ? options.leaseSeconds() : seconds);
    }

    /** The Lease after its release by the holder: other contenders may take it at once. */
    static V1Lease released(V1Lease lease, Instant now) {
        return with(lease.getMetadata(),
                new V1LeaseSpec().holderIdentity("").leaseDurationSeconds(1).acquireTime(time(now))
                        .renewTime(time(now)).leaseTransitions(transitions(lease)));
    }

    /** The identity of the holder; empty if nobody holds the Lease. */
    static String holder(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        return spec == null || spec.getHolderIdentity() == null ? "" : spec.getHolderIdentity();
    }

    /**
     * The Lease as this contender holds it.
     *
     * @param before the Lease as read last; null if there is none
     */
    static V1Lease held(ElectionOptions options, @Nullable V1Lease before, Instant now) {
        V1Lease lease = before != null
                ? before
                : new V1Lease().metadata(
                        new V1ObjectMeta().namespace(options.lease().namespace()).name(options.lease().name()));
        boolean renewed = holder(lease).equals(options.identity());
        V1LeaseSpec spec = lease.getSpec();
        OffsetDateTime acquired = renewed && spec != null ? spec.getAcquireTime() : null;
        int transitions = transitions(lease) + (renewed || spec == null ? 0 : 1);
        return with(labelled(options, lease.getMetadata()), new V1LeaseSpec().holderIdentity(options.identity())
                .leaseDurationSeconds(options.leaseSeconds()).acquireTime(acquired == null ? time(now) : acquired)
                .renewTime(time(now)).leaseTransitions(transitions));
    }

    private static V1ObjectMeta labelled(ElectionOptions options, V1ObjectMeta meta) {
        Map<String, String> present = meta.getLabels() == null ? Map.of() : meta.getLabels();
        if (present.entrySet().containsAll(options.labels().entrySet())) {
            return meta;
        }
        Map<String, String> labels = new HashMap<>(present);
        labels.putAll(options.labels());
        return ModelJson.shallowCopy(meta).labels(labels);
    }

    private static V1Lease with(V1ObjectMeta meta, V1LeaseSpec spec) {
        return new V1Lease().apiVersion("coordination.k8s.io/v1").kind("Lease").metadata(meta).spec(spec);
    }

    private static int transitions(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        return spec == null || spec.getLeaseTransitions() == null ? 0 : spec.getLeaseTransitions();
    }

    private static OffsetDateTime time(Instant now) {
        return OffsetDateTime.ofInstant(now.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
    }
}
