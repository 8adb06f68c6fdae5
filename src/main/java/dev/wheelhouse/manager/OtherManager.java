package dev.wheelhouse.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;

/**
 * Sees whether the cluster's own kube-controller-manager is alive, by the Lease that it renews, so that two managers never
 * fight over the same objects (upstream: client-go {@code tools/leaderelection}; the Lease is
 * {@code kube-system/kube-controller-manager}).
 */
public final class OtherManager {
    private static final ObjectKey LEASE = ObjectKey.of("kube-system", "kube-controller-manager");

    private OtherManager() {}

    /**
     * Asks the API server.
     *
     * @return a sentence about who is alive, or empty if nobody is
     * @throws ApiError if the Lease cannot be read, save that there is none
     */
    public static Optional<String> alive(KubeClient client, Instant now) {
        try {
            return decide(client.resource(ResourceType.LEASES, V1Lease.class).get(LEASE), now);
        } catch (ApiError e) {
            if (e.isNotFound()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** What a Lease says at a moment: its holder is alive if it renewed within the Lease's duration. */
    static Optional<String> decide(V1Lease lease, Instant now) {
        V1LeaseSpec spec = lease.getSpec();
        if (spec == null || spec.getRenewTime() == null || spec.getHolderIdentity() == null
                || spec.getHolderIdentity().isEmpty()) {
            return Optional.empty();
        }
        int seconds = spec.getLeaseDurationSeconds() == null ? 15 : spec.getLeaseDurationSeconds();
        Duration age = Duration.between(spec.getRenewTime().toInstant(), now);
        if (age.getSeconds() > seconds) {
            return Optional.empty();
        }
        return Optional.of("kube-controller-manager " + spec.getHolderIdentity() + " renewed its lease " + LEASE + " "
                + Math.max(0, age.getSeconds()) + " s ago");
    }
}
