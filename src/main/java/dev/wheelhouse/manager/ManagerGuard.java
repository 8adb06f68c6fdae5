package dev.wheelhouse.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;

/**
 * Prevents two controller managers from writing to the same objects: the controllers only observe while the cluster's
 * own kube-controller-manager is alive. It counts as alive while it renews its Lease,
 * {@code kube-system/kube-controller-manager} (upstream: client-go {@code tools/leaderelection}). The guard decides
 * once, before any controller is made. One thread calls {@link #decide}; any thread may read the result.
 */
public final class ManagerGuard {
    /** The operator's choice. */
    public enum Mode {
        /** Write, unless another manager is alive. */
        AUTO,
        /** Always write. */
        TAKEOVER,
        /** Never write. */
        OBSERVE
    }

    private static final Logger log = LoggerFactory.getLogger(ManagerGuard.class);
    private static final ObjectKey LEASE = ObjectKey.of("kube-system", "kube-controller-manager");

    private final Mode mode;
    private final KubeClient client;
    private final Clock clock;
    private volatile @Nullable Boolean observeOnly;
    private volatile String problem = "";

    public ManagerGuard(Mode mode, KubeClient client, Clock clock) {
        this.mode = mode;
        this.client = client;
        this.clock = clock;
    }

    /**
     * Decides, with at most one live read. Does nothing if it has decided.
     *
     * @return whether it has decided; if not, the API server could not be read, and a later call tries again
     */
    public boolean decide() {
        if (observeOnly == null) {
            observeOnly = switch (mode) {
                case TAKEOVER -> false;
                case OBSERVE -> true;
                case AUTO -> otherIsAlive();
            };
        }
        return observeOnly != null;
    }

    private @Nullable Boolean otherIsAlive() {
        try {
            V1Lease lease = client.resource(ResourceType.LEASES, V1Lease.class).get(LEASE);
            Optional<String> alive = alive(lease, clock.now());
            alive.ifPresent(
                    who -> log.warn("the controllers only observe and write nothing: {}. Turn its controllers off"
                            + " and start with --wheelhouse.manage=takeover", who));
            return alive.isPresent();
        } catch (ApiError e) {
            if (e.isNotFound()) {
                return false;
            }
            if (e.isForbidden()) {
                log.warn(
                        "the controllers only observe and write nothing: this process may not read whether another"
                                + " controller manager is alive ({}). Grant get on leases, or start with"
                                + " --wheelhouse.manage=takeover if there is none",
                        e.getMessage());
                return true;
            }
            problem = "it is unknown whether another controller manager is alive: " + e.getMessage();
            return null;
        }
    }

    /**
     * Whether the controllers must not write.
     * @throws IllegalStateException before the guard has decided
     */
    public boolean observeOnly() {
        Boolean decided = observeOnly;
        if (decided == null) {
            throw new IllegalStateException("a controller was made before the guard decided whether it may write");
        }
        return decided;
    }

    /** Why the guard has not decided; empty before the first attempt. */
    String problem() {
        return problem;
    }

    /**
     * Evaluates a Lease. Its holder is alive if it renewed the Lease within the Lease's duration.
     * @return a sentence about the holder if it is alive
     */
    static Optional<String> alive(V1Lease lease, Instant now) {
        V1LeaseSpec spec = lease.getSpec();
        if (spec == null || spec.getRenewTime() == null || spec.getHolderIdentity() == null
                || spec.getHolderIdentity().isEmpty()) {
            return Optional.empty();
        }
        int seconds = spec.getLeaseDurationSeconds() == null ? 15 : spec.getLeaseDurationSeconds();
        Duration age = Duration.between(spec.getRenewTime().toInstant(), now);
        if (age.toSeconds() > seconds) {
            return Optional.empty();
        }
        return Optional.of("kube-controller-manager " + spec.getHolderIdentity() + " renewed its lease " + LEASE + " "
                + Math.max(0, age.toSeconds()) + " s ago");
    }
}
