package dev.wheelhouse.election;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.Signal;

/**
 * Contends for a Lease, holds it by renewing it, and says whether this process leads (upstream: client-go
 * {@code tools/leaderelection}). A lead ends for good when it was not renewed for the renew deadline, or when another one holds the
 * Lease.
 *
 * <p>{@link #isLeader()} turns false by this machine's clock at the deadline, counted from when the last successful renewal was
 * <em>sent</em>, also while a renewal hangs; others take the Lease no sooner than its longer duration after they have seen that
 * renewal. So no two lead at once, however the machines' clocks are set, as long as they run at about the same speed.
 */
public final class LeaderElector implements Loop, Leadership {
    private static final Logger log = LoggerFactory.getLogger(LeaderElector.class);

    private enum Role {
        STANDBY, LEADING, ENDED
    }

    private final ElectionOptions options;
    private final ResourceClient<V1Lease> leases;
    private final Clock clock;
    private final RandomGenerator random;
    private final ElectionListener listener;
    private final Signal closing = new Signal();
    private volatile Role role = Role.STANDBY;
    private volatile boolean closed;
    private volatile long renewedAt;
    private volatile boolean known;
    private volatile String standing = "it has not been seen yet who leads";
    private @Nullable V1Lease observed;
    private long observedAt;

    /**
     * @param client its calls should end well before the renew deadline, or one that hangs costs the lead
     * @param random spreads the tries of those who stand by
     */
    public LeaderElector(ElectionOptions options, KubeClient client, Clock clock, RandomGenerator random,
            ElectionListener listener) {
        this.options = options;
        this.leases = client.resource(ResourceType.LEASES, V1Lease.class);
        this.clock = clock;
        this.random = random;
        this.listener = listener;
    }

    @Override
    public boolean isLeader() {
        return role == Role.LEADING && !closed && isInTime();
    }

    private boolean isInTime() {
        return clock.nanoTime() - renewedAt < options.renewDeadline().toNanos();
    }

    @Override
    public boolean isKnown() {
        return known;
    }

    @Override
    public String standing() {
        return standing;
    }

    /** The name that it contends by. */
    public String identity() {
        return options.identity();
    }

    @Override
    public long step() {
        if (closed || role == Role.ENDED) {
            return IDLE;
        }
        if (role != Role.LEADING || isInTime()) {
            try {
                contend();
            } catch (ApiError e) {
                failed(e);
            }
        }
        if (role == Role.LEADING && !isInTime()) {
            lose("the lease " + options.lease() + " could not be renewed for " + options.renewDeadline().toSeconds()
                    + " s");
        }
        return switch (role) {
            case STANDBY -> (long) (options.retryPeriod().toNanos()
                    * (1 + ElectionOptions.JITTER * random.nextDouble()));
            case LEADING -> options.retryPeriod().toNanos();
            case ENDED -> IDLE;
        };
    }

    private void contend() {
        if (role == Role.LEADING && observed != null && renewed(observed)) {
            return;
        }
        V1Lease lease = read();
        observe(lease);
        Duration unchangedFor = Duration.ofNanos(clock.nanoTime() - observedAt);
        switch (ElectionDecision.decide(options, lease, unchangedFor, clock.now())) {
            case ElectionDecision.Create create -> {
                long sent = clock.nanoTime();
                won(sent, leases.create(create.lease()));
            }
            case ElectionDecision.Take take -> {
                long sent = clock.nanoTime();
                won(sent, leases.update(take.lease()));
            }
            case ElectionDecision.Wait wait -> stand(wait.holder());
        }
    }

    /** The usual renewal: one write, at the version that the last one gave. */
    private boolean renewed(V1Lease last) {
        long sent = clock.nanoTime();
        if (ElectionDecision.decide(options, last, Duration.ZERO, clock.now()) instanceof ElectionDecision.Take take) {
            try {
                won(sent, leases.update(take.lease()));
                return true;
            } catch (ApiError e) {
                listener.renewedTheSlowWay();
                log.info("the lease {} is read, as it could not be renewed at once: {}", options.lease(),
                        e.getMessage());
            }
        }
        return false;
    }

    private @Nullable V1Lease read() {
        try {
            return leases.get(options.lease());
        } catch (ApiError e) {
            if (e.isNotFound()) {
                return null;
            }
            throw e;
        }
    }

    private void observe(@Nullable V1Lease lease) {
        if (observed == null || lease == null || !Objects.equals(observed.getSpec(), lease.getSpec())) {
            observedAt = clock.nanoTime();
        }
        observed = lease;
    }

    /** An answer that came after the deadline is of no use: the lead that it was to extend is over. */
    private void won(long sent, V1Lease lease) {
        observe(lease);
        if (clock.nanoTime() - sent >= options.renewDeadline().toNanos() || (role == Role.LEADING && !isInTime())) {
            return;
        }
        renewedAt = sent;
        known = true;
        if (role == Role.STANDBY) {
            standing = options.identity() + " leads, this process";
            role = Role.LEADING;
            log.info("{} leads: it holds the lease {}", options.identity(), options.lease());
            listener.startedLeading();
        }
    }

    private void stand(String holder) {
        if (role == Role.LEADING) {
            lose("the lease " + options.lease() + " is held by " + holder);
            return;
        }
        known = true;
        String now = holder + " leads";
        if (!now.equals(standing)) {
            standing = now;
            log.info("{} stands by: {}, by the lease {}", options.identity(), now, options.lease());
        }
    }

    private void failed(ApiError error) {
        if (role == Role.LEADING) {
            log.warn("the lease {} could not be renewed and is tried again: {}", options.lease(), error.getMessage());
        } else if (!error.isConflict() && !error.isAlreadyExists()) {
            known = false;
            standing = "it cannot be seen who leads: " + error.getMessage() + (error.isForbidden()
                    ? ". Grant get, create and update on leases in " + options.lease().namespace()
                    : "");
            log.warn("{} stands by: {}", options.identity(), standing);
        }
    }

    private void lose(String why) {
        role = Role.ENDED;
        standing = "this process leads no more: " + why;
        log.error("{} leads no more: {}", options.identity(), why);
        listener.stoppedLeading(why);
    }

    /**
     * Lets the Lease go, so that others need not wait for its end. To be called when everything that acts as the leader, and this
     * loop, have ended. Does nothing if this process does not lead.
     */
    public void release() {
        boolean leads = role == Role.LEADING;
        close();
        if (!leads) {
            return;
        }
        role = Role.ENDED;
        try {
            // The last renewal may have happened without an answer, when the loop was ended.
            V1Lease held = read();
            if (held != null && ElectionDecision.holder(held).equals(options.identity())) {
                leases.update(ElectionDecision.released(held, clock.now()));
                log.info("{} lets the lease {} go", options.identity(), options.lease());
            }
        } catch (ApiError e) {
            log.info("the lease {} could not be let go, and will end by itself: {}", options.lease(), e.getMessage());
        }
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        closing.await(nanos);
    }

    /** Ends the lead without letting the Lease go: {@link #release} does that. */
    @Override
    public void close() {
        closed = true;
        closing.raise();
    }
}
