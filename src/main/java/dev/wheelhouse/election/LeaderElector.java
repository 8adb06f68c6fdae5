package dev.wheelhouse.election;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Contends for a Lease, renews it, and says whether this process leads (upstream: client-go
 * {@code tools/leaderelection}). The lead ends for good if it was not renewed within the renew deadline, or if another
 * contender holds the Lease. A standby looks at the Lease from time to time, as upstream, and also when the
 * {@link #watch} tells that the Lease is free.
 *
 * <p>{@link #isLeader()} becomes false at the renew deadline, by this machine's clock, even while a renewal hangs. The
 * deadline counts from when the last successful renewal was <em>sent</em>. Other contenders take the Lease after the
 * lease duration, which is longer and counts from when they saw that renewal. Therefore no two processes lead at once,
 * whatever the machines' clocks show, if the clocks run at about the same speed.
 *
 * <p>{@link #close} ends the loop and the lead, but keeps the Lease; {@link #release} frees it. One thread steps the
 * loop; any thread may ask for the leadership, close and release.
 */
public final class LeaderElector extends SignalledLoop implements Leadership {
    private static final Logger log = LoggerFactory.getLogger(LeaderElector.class);

    private enum Role {
        STANDBY, LEADING, ENDED
    }

    private final ElectionOptions options;
    private final ResourceClient<V1Lease> leases;
    private final Clock clock;
    private final RandomGenerator random;
    private final ElectionMeters meters;
    private final CompletableFuture<Void> led = new CompletableFuture<>();
    private final CompletableFuture<String> lost = new CompletableFuture<>();
    private volatile Role role = Role.STANDBY;
    private volatile long renewedAt;
    private volatile boolean leaderKnown;
    /** The leader in words, see {@link #describeLeader}. */
    private volatile String leader = "the leader is not known yet";
    private final LeaseWatch watch;
    private volatile BooleanSupplier ready = () -> true;
    /** Held by a step and by a release, so that no renewal is under way while the Lease is released. */
    private final ReentrantLock turn = new ReentrantLock();
    /** The last state of the Lease that a caller has passed to {@link #knows}. */
    private volatile LeaseWatch.@Nullable Seen told;
    private @Nullable V1Lease observed;
    private long observedAt;

    /**
     * @param client its requests should time out well before the renew deadline, because a hanging request costs the
     *     lead
     * @param random spreads the attempts of standbys
     * @param registry counts leads and slow renewals
     */
    public LeaderElector(ElectionOptions options, KubeClient client, Clock clock, RandomGenerator random,
            MeterRegistry registry) {
        this.options = options;
        this.leases = client.resource(ResourceType.LEASES, V1Lease.class);
        this.clock = clock;
        this.random = random;
        this.meters = new ElectionMeters(options.lease().name(), registry);
        this.watch = new LeaseWatch(
                leases.listerWatcher(options.lease().namespace(), LabelSelector.everything(),
                        FieldSelector.of("metadata.name", options.lease().name())),
                options, clock, new SplittableRandom(random.nextLong()), () -> ready.getAsBoolean(), this::wake);
    }

    /**
     * Sets the condition under which a standby takes a free Lease at once. While it is false, for example because
     * caches are not warm yet, the elector leaves the Lease to other contenders until its next look.
     */
    public void readyWhen(BooleanSupplier condition) {
        ready = condition;
    }

    /**
     * Passes on a state of the Lease that the caller has seen, and the time at which it saw it. If the Lease is still
     * in that state, the elector does not wait for the whole duration again.
     */
    void observe(LeaseWatch.Seen state) {
        told = state;
    }

    /**
     * The loop that wakes this one when the Lease is free. Without it, a standby notices that by its next look. It ends
     * when this process does not stand by any more.
     */
    public Loop watch() {
        return watch;
    }

    @Override
    public boolean isLeader() {
        return role == Role.LEADING && !isClosed() && isInTime();
    }

    @Override
    public void whenLeading(Runnable action) {
        CompletableFuture<Void> unused = led.thenRun(action);
    }

    @Override
    public void whenLost(Runnable action) {
        CompletableFuture<Void> unused = lost.thenRun(action);
    }

    /** Tells an action once why this process has lost the lead, as {@link #whenLost} calls one. */
    public void whenLostBecause(Consumer<String> action) {
        CompletableFuture<Void> unused = lost.thenAccept(action);
    }

    private boolean isInTime() {
        return clock.nanoTime() - renewedAt < options.renewDeadline().toNanos();
    }

    @Override
    public boolean isLeaderKnown() {
        return leaderKnown;
    }

    @Override
    public String describeLeader() {
        return leader;
    }

    /** The Lease that the contenders want. */
    public ObjectKey lease() {
        return options.lease();
    }

    /** The identity with which this process contends. */
    public String identity() {
        return options.identity();
    }

    @Override
    public long step() {
        turn.lock();
        try {
            return takeTurn();
        } finally {
            turn.unlock();
        }
    }

    private long takeTurn() {
        if (isClosed() || role == Role.ENDED) {
            return IDLE;
        }
        if (role != Role.LEADING || isInTime()) {
            try {
                contend();
            } catch (KubeApiException e) {
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

    /**
     * Renews with one write, at the version of the last one, without a read.
     * @return whether the renewal succeeded
     */
    private boolean renewed(V1Lease last) {
        long sent = clock.nanoTime();
        if (ElectionDecision.decide(options, last, Duration.ZERO, clock.now()) instanceof ElectionDecision.Take take) {
            try {
                won(sent, leases.update(take.lease()));
                return true;
            } catch (KubeApiException e) {
                meters.slowPaths.increment();
                log.info("the lease {} could not be renewed in one write, so it is read first: {}", options.lease(),
                        e.getMessage());
            }
        }
        return false;
    }

    private @Nullable V1Lease read() {
        return leases.find(options.lease()).orElse(null);
    }

    private void observe(@Nullable V1Lease lease) {
        if (observed == null || lease == null || !Objects.equals(observed.getSpec(), lease.getSpec())) {
            observedAt = firstSeen(lease);
        }
        observed = lease;
    }

    /**
     * The time at which this process first saw the state of a Lease that it has just read, which may be before the
     * read.
     */
    private long firstSeen(@Nullable V1Lease read) {
        for (LeaseWatch.Seen seen : Arrays.asList(told, watch.seen())) {
            if (seen != null && read != null && Objects.equals(seen.lease().getSpec(), read.getSpec())) {
                return seen.at();
            }
        }
        return clock.nanoTime();
    }

    /**
     * Takes or extends the lead. A response after the deadline counts as none, because the lead that it would extend is
     * over.
     */
    private void won(long sent, V1Lease lease) {
        if (!ElectionDecision.holder(lease).equals(options.identity())) {
            throw new KubeApiException("write the lease " + options.lease(), 500, "", "the answer names \""
                    + ElectionDecision.holder(lease) + "\" as its holder, not " + options.identity()
                    + ": look for a webhook or a proxy that changes Leases", null);
        }
        observe(lease);
        if (clock.nanoTime() - sent >= options.renewDeadline().toNanos() || (role == Role.LEADING && !isInTime())) {
            return;
        }
        renewedAt = sent;
        leaderKnown = true;
        if (role == Role.STANDBY) {
            leader = options.identity() + " leads; it is this process";
            role = Role.LEADING;
            watch.close();
            log.info("{} leads: it holds the lease {}", options.identity(), options.lease());
            meters.begun();
            led.complete(null);
        }
    }

    private void stand(String holder) {
        if (role == Role.LEADING) {
            lose("the lease " + options.lease() + " is held by " + holder);
            return;
        }
        leaderKnown = true;
        String now = holder + " leads";
        if (!now.equals(leader)) {
            leader = now;
            log.info("{} stands by: {}, according to the lease {}", options.identity(), now, options.lease());
        }
    }

    private void failed(KubeApiException error) {
        if (role == Role.LEADING) {
            log.warn("the lease {} could not be renewed, retrying: {}", options.lease(),
                    error.getMessage());
        } else if (!error.isConflict() && !error.isAlreadyExists()) {
            leaderKnown = false;
            leader = "the leader cannot be read: " + error.getMessage() + (error.isForbidden()
                    ? ". Grant get, create, update and watch on leases in " + options.lease().namespace()
                    : "");
            log.warn("{} stands by: {}", options.identity(), leader);
        }
    }

    private void lose(String why) {
        role = Role.ENDED;
        watch.close();
        leader = "this process no longer leads: " + why;
        log.error("{} no longer leads: {}", options.identity(), why);
        meters.ended();
        lost.complete(why);
    }

    @Override
    public void close() {
        super.close();
        watch.close();
    }

    /**
     * Closes the elector and, if this process leads, frees the Lease, so that another contender can take it at once.
     * Call it after everything that acts as the leader has ended. Waits for a request of the loop that is under way.
     */
    public void release() {
        close();
        turn.lock();
        try {
            if (role != Role.LEADING) {
                return;
            }
            role = Role.ENDED;
            meters.ended();
            // Read first: the last renewal may have been stored although its response was lost.
            V1Lease held = read();
            if (held != null && ElectionDecision.holder(held).equals(options.identity())) {
                leases.update(ElectionDecision.released(held, clock.now()));
                log.info("{} released the lease {}", options.identity(), options.lease());
            }
        } catch (KubeApiException e) {
            log.info("the lease {} could not be released and will expire: {}", options.lease(), e.getMessage());
        } finally {
            turn.unlock();
        }
    }
}
