package dev.wheelhouse.manager;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Prevents two controller managers from writing to the same objects. While the cluster's own kube-controller-manager is
 * alive, the controllers that it contains too only observe here. All others write, because no other manager runs them.
 * The other manager counts as alive while it renews its Lease, {@code kube-system/kube-controller-manager} (upstream:
 * client-go {@code tools/leaderelection}). Thread safe.
 */
public final class ManagerGuard {
    /** The operator's choice. */
    public enum Mode {
        /** Write, but leave upstream's controllers to another manager that is alive. */
        AUTO,
        /** Always write. */
        TAKEOVER,
        /** Never write. */
        OBSERVE
    }

    private static final Logger log = LoggerFactory.getLogger(ManagerGuard.class);
    /** The Lease of kube-controller-manager. */
    public static final ObjectKey LEASE = ObjectKey.of("kube-system", "kube-controller-manager");
    private static final Duration PERIOD = Duration.ofSeconds(3);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration UPSTREAMS_LEASE = Duration.ofSeconds(15);

    private final Mode mode;
    private final KubeClient client;
    private final Clock clock;
    /** Whether another manager is alive; null while that is unknown. */
    private volatile @Nullable Boolean otherIsAlive;
    private volatile String problem = "";
    private @Nullable Long nextLook;
    private @Nullable OffsetDateTime lastRenewal;
    private @Nullable Long sawRenewal;

    public ManagerGuard(Mode mode, KubeClient client, Clock clock) {
        this.mode = mode;
        this.client = client;
        this.clock = clock;
    }

    /** Whether it depends on another controller manager whether a controller may write. */
    public boolean concerns(String controller) {
        return mode == Mode.AUTO && UpstreamControllers.NAMES.contains(controller);
    }

    /** Whether this guard knows if a controller may write. */
    boolean hasDecided(String controller) {
        return otherIsAlive != null || !concerns(controller);
    }

    /**
     * Whether a controller must not write. It may change at any time, except for controllers that the guard does not
     * {@link #concerns concern}.
     *
     * @throws IllegalStateException if it is not known yet
     */
    public boolean observes(String controller) {
        if (!concerns(controller)) {
            return mode == Mode.OBSERVE;
        }
        Boolean alive = otherIsAlive;
        if (alive == null) {
            throw new IllegalStateException(controller + " was made before the guard knew whether it may write");
        }
        return alive;
    }

    /** Why it is not known whether another manager is alive; empty before the first look. */
    String problem() {
        return problem;
    }

    /**
     * Reads the other manager's Lease, if that is due. A failed read changes nothing.
     * @return the nanoseconds until the next look is due
     */
    synchronized long look() {
        if (mode != Mode.AUTO) {
            return Loop.IDLE;
        }
        Long due = nextLook;
        if (due == null || clock.nanoTime() - due >= 0) {
            due = clock.deadline(read() ? PERIOD : RETRY);
            nextLook = due;
        }
        return Math.max(1, due - clock.nanoTime());
    }

    private boolean read() {
        try {
            Optional<String> alive = alive(client.resource(ResourceType.LEASES, V1Lease.class).get(LEASE));
            decided(alive.isPresent(), alive.map(who -> "the controllers that kube-controller-manager has too only"
                    + " observe and write nothing: " + who + ". Turn its controllers off and start with"
                    + " --wheelhouse.manage=takeover").orElse(""));
            return true;
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                decided(false, "");
                return true;
            }
            if (e.isForbidden()) {
                decided(true, "the controllers that kube-controller-manager has too only observe and write nothing:"
                        + " this process may not read whether it is alive (" + e.getMessage() + "). Grant get on"
                        + " leases, or start with --wheelhouse.manage=takeover if there is none");
                return true;
            }
            problem = "it is unknown whether another controller manager is alive: " + e.getMessage();
            return false;
        }
    }

    private void decided(boolean alive, String line) {
        Boolean before = otherIsAlive;
        otherIsAlive = alive;
        problem = "";
        if (!Objects.equals(before, alive)) {
            if (alive) {
                log.warn(line);
            } else if (before != null) {
                log.warn("kube-controller-manager is not alive any more: all controllers write");
            }
        }
    }

    /**
     * Evaluates a Lease. Its holder is alive if it renewed the Lease within the Lease's duration, or if this process
     * saw a renewal within that time: the clocks of two machines may differ.
     *
     * @return a sentence about the holder if it is alive
     */
    private Optional<String> alive(V1Lease lease) {
        OffsetDateTime renewal = lease.getSpec() == null ? null : lease.getSpec().getRenewTime();
        if (lastRenewal != null && !lastRenewal.equals(renewal)) {
            sawRenewal = clock.nanoTime();
        }
        lastRenewal = renewal;
        Long saw = sawRenewal;
        Optional<String> byItsClock = alive(lease, clock.now());
        return byItsClock.isPresent() || saw == null || holder(lease).isEmpty()
                || clock.nanoTime() - saw > duration(lease).toNanos()
                        ? byItsClock
                        : Optional.of("kube-controller-manager " + holder(lease) + " renews its lease " + LEASE);
    }

    /**
     * Evaluates a Lease by its times alone.
     * @return a sentence about the holder if it is alive
     */
    static Optional<String> alive(V1Lease lease, Instant now) {
        V1LeaseSpec spec = lease.getSpec();
        if (spec == null || spec.getRenewTime() == null || holder(lease).isEmpty()) {
            return Optional.empty();
        }
        Duration age = Duration.between(spec.getRenewTime().toInstant(), now);
        if (age.toSeconds() > duration(lease).toSeconds()) {
            return Optional.empty();
        }
        return Optional.of("kube-controller-manager " + holder(lease) + " renewed its lease " + LEASE + " "
                + Math.max(0, age.toSeconds()) + " s ago");
    }

    private static String holder(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        return spec == null ? "" : orEmpty(spec.getHolderIdentity());
    }

    private static Duration duration(V1Lease lease) {
        V1LeaseSpec spec = lease.getSpec();
        return spec == null || spec.getLeaseDurationSeconds() == null
                ? UPSTREAMS_LEASE
                : Duration.ofSeconds(spec.getLeaseDurationSeconds());
    }
}
