package dev.wheelhouse.election;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Contends for shards, so that each shard is led by one of several replicas, and each replica leads about as many as
 * the others. Each shard has a Lease, {@code NAME-shard-I-of-N}, with a {@link LeaderElector} while this process
 * contends for it; each replica renews a Lease of its own, {@code NAME-replica-of-N-ID}, by which the others know that
 * it lives. The label {@link #LABEL} marks all of these, and one list per retry period reads them.
 *
 * <p>A replica that leads more than its share gives the rest back: the work ends, then the Lease is freed. So a new
 * replica gets its share within a few retry periods. After a crash, the others take the shards when the Leases expire.
 * While replicas lead shards of another number, this one begins no work, because the ranges overlap.
 *
 * <p>One thread steps the loop; any thread may close it and call {@link #end}.
 */
public final class ShardElector extends SignalledLoop {
    /** The label of all Leases of one group of replicas; its value is the group's name. */
    public static final String LABEL = "wheelhouse.dev/shards-of";

    private static final Logger log = LoggerFactory.getLogger(ShardElector.class);
    private static final long SOON = Duration.ofMillis(20).toNanos();

    private final ElectionOptions group;
    private final int shards;
    private final KubeClient client;
    private final Clock clock;
    private final RandomGenerator random;
    private final LoopRunner runner;
    private final Function<String, ElectionListener> listeners;
    private final ShardWork work;
    private final LogBudget lines;
    private final ShardLeases leases;
    private final Map<Integer, Hold> holds = new TreeMap<>();
    /** Held by a step and by {@link #end}. */
    private final ReentrantLock turn = new ReentrantLock();
    /** The number of looks that succeeded. */
    private int looks;
    private long nextLook;
    private volatile Set<Integer> led = Set.of();

    /**
     * @param group the name of the group as the name of a Lease, and this replica's identity and durations
     * @param shards the number of shards, the same in all replicas
     * @param client its requests should time out well before the renew deadline
     * @param random spreads the attempts of several replicas
     * @param runner runs the electors of the shards
     * @param listeners makes the listener of a Lease by its name
     * @throws IllegalArgumentException if the group's name is too long for a label
     */
    public ShardElector(ElectionOptions group, int shards, KubeClient client, Clock clock, RandomGenerator random,
            LoopRunner runner, Function<String, ElectionListener> listeners, ShardWork work) {
        this.group = group;
        this.shards = shards;
        this.client = client;
        this.clock = clock;
        this.random = random;
        this.runner = runner;
        this.listeners = listeners;
        this.work = work;
        this.lines = new LogBudget(clock);
        this.leases = new ShardLeases(group, shards, client.resource(ResourceType.LEASES, V1Lease.class), clock);
        this.nextLook = clock.nanoTime();
    }

    /** The number of shards, whoever leads them. */
    public int shards() {
        return shards;
    }

    /** The shards that this process works on now. */
    public Set<Integer> led() {
        return led;
    }

    @Override
    public long step() {
        turn.lock();
        try {
            if (isClosed()) {
                return IDLE;
            }
            if (clock.nanoTime() - nextLook >= 0) {
                look();
                nextLook = clock.nanoTime() + leases.untilNextExpiry(group.retryPeriod().toNanos());
            }
            long next = goOn();
            return Math.min(next, Math.max(0, nextLook - clock.nanoTime()));
        } finally {
            turn.unlock();
        }
    }

    private void look() {
        try {
            leases.look();
            looks++;
            spread();
        } catch (KubeApiException e) {
            if (!e.isConflict() && !e.isAlreadyExists()) {
                lines.warn(log, "the shards of " + group.lease() + " cannot be spread now: " + e.getMessage()
                        + (e.isForbidden() ? ". Grant get, list, create, update and delete on leases" : ""));
            }
        }
    }

    /** Gives shards back, or contends for further ones, until this replica has its share. */
    private void spread() {
        if (!leases.hasAnnounced()) {
            return;
        }
        Map<Integer, String> holders = leases.holders();
        holds.forEach((shard, hold) -> {
            if (!holders.getOrDefault(shard, group.identity()).equals(group.identity())) {
                hold.loseRace();
            }
        });
        List<Hold> mine = holds.values().stream().filter(hold -> !hold.giving).toList();
        Map<String, Integer> living = leases.living();
        living.put(group.identity(), mine.size());
        int share = leases.hasForeign() ? 0 : ShardSpread.share(group.identity(), living, shards);
        mine.reversed().stream().limit(Math.max(0, mine.size() - share)).forEach(Hold::give);
        List<Integer> free = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            if (!holders.containsKey(shard) && !holds.containsKey(shard)) {
                free.add(shard);
            }
        }
        Collections.shuffle(free, Random.from(random));
        free.stream().limit(Math.max(0, share - mine.size())).forEach(shard -> holds.put(shard, new Hold(shard)));
    }

    /**
     * Steps each shard.
     * @return the nanoseconds until a shard is to be stepped again
     */
    private long goOn() {
        long next = IDLE;
        for (Hold hold : List.copyOf(holds.values())) {
            next = Math.min(next, hold.goOn());
        }
        Set<Integer> leading = new TreeSet<>();
        holds.forEach((shard, hold) -> {
            if (hold.tenure != null && hold.isLeader()) {
                leading.add(shard);
            }
        });
        led = Collections.unmodifiableSet(leading);
        return next;
    }

    /**
     * Ends this replica: closes the loop, gives all shards back, and tells the others. Call it again until it returns
     * true.
     * @return whether all work has ended
     */
    public boolean end() {
        close();
        turn.lock();
        try {
            holds.values().forEach(Hold::give);
            goOn();
            if (holds.isEmpty()) {
                leases.leave();
            }
            return holds.isEmpty();
        } finally {
            turn.unlock();
        }
    }

    /** One shard that this replica contends for or leads. Its {@link Leadership} is that of the work. */
    private final class Hold implements Leadership {
        private final int shard;
        private final LeaderElector elector;
        private final ElectionListener listener;
        private final CompletableFuture<Void> given = new CompletableFuture<>();
        private volatile boolean giving;
        private ShardWork.@Nullable Tenure tenure;
        /** The number of looks after which the work may begin; 0 while this replica does not lead. */
        private int beginsAfter;

        Hold(int shard) {
            this.shard = shard;
            this.listener = listeners.apply(leases.name(shard));
            this.elector = new LeaderElector(leases.options(shard), client, clock, random, listener);
            LeaseWatch.Seen state = leases.state(shard);
            if (state != null) {
                elector.observe(state);
            }
            elector.whenLeading(ShardElector.this::wake);
            elector.whenLost(() -> {
                give();
                wake();
            });
            runner.startOnPlatformThread(leases.name(shard), elector);
        }

        /** Ends the contest: another replica has the shard. */
        void loseRace() {
            if (!elector.isLeader()) {
                give();
            }
        }

        void give() {
            giving = true;
            given.complete(null);
        }

        /** @return the nanoseconds until it wants to be called again */
        long goOn() {
            if (tenure == null && !giving) {
                return begin();
            }
            if (isLeader()) {
                return IDLE;
            }
            give();
            if (tenure != null && !tenure.end()) {
                return SOON;
            }
            if (tenure != null) {
                log.info("{} does not work on shard {} of {} any more", group.identity(), shard, shards);
            }
            elector.release();
            runner.stop(elector);
            listener.stoppedLeading("it does not work on " + leases.name(shard) + " any more");
            holds.remove(shard);
            return IDLE;
        }

        /**
         * Begins the work, once a look after the beginning of the lead shows that nobody leads a shard of another
         * number. A replica of that number looks after its own Lease is written, too, so one of the two sees the other.
         */
        private long begin() {
            if (!elector.isLeader()) {
                return IDLE;
            }
            if (beginsAfter == 0) {
                beginsAfter = looks + 1;
                nextLook = clock.nanoTime();
                return BUSY;
            }
            if (looks >= beginsAfter) {
                log.info("{} works on shard {} of {}", group.identity(), shard, shards);
                tenure = work.begin(shard, shards, this);
            }
            return IDLE;
        }

        @Override
        public boolean isLeader() {
            return !giving && elector.isLeader();
        }

        @Override
        public void whenLeading(Runnable action) {
            elector.whenLeading(action);
        }

        @Override
        public void whenLost(Runnable action) {
            CompletableFuture<Void> unused = given.thenRun(action);
        }

        @Override
        public boolean isLeaderKnown() {
            return elector.isLeaderKnown();
        }

        @Override
        public String describeLeader() {
            return giving ? "this process gives " + leases.name(shard) + " back" : elector.describeLeader();
        }
    }
}
