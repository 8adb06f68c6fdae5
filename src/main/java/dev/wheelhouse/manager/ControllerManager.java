package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Runs controllers: makes each one when it may run, starts its loops when its own caches have synced, and ends it when
 * it may not run any more (upstream: {@code cmd/kube-controller-manager/app/controllermanager.go}). Each controller has
 * a life of its own: a type that cannot be listed, or a constructor that throws, delays only the controllers that need
 * it.
 *
 * <p>The manager is a {@link Loop} that sleeps until the election is won or lost, until a cache has synced, or until
 * its next check or report is due. One thread steps it; any thread may ask for its state and close it.
 */
public final class ControllerManager extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(ControllerManager.class);
    /** The number of reasons in one line of the log. */
    private static final int NAMED = 5;
    private static final Duration REPORT = Duration.ofSeconds(10);
    private static final Duration LOOK_FOR_BLOCKED = Duration.ofSeconds(5);

    private final List<ManagedController> controllers;
    private final SharedInformerFactory informers;
    private final LoopRunner runner;
    private final ManagerGuard guard;
    private final Leadership leadership;
    private final Standby standby;
    private final ServedTypes types;
    private final Clock clock;
    private final Supplier<List<ControllerManager>> shards;
    private final CompletableFuture<Void> ran = new CompletableFuture<>();
    private final CompletableFuture<Void> stoodBy = new CompletableFuture<>();
    private final String part;
    /** Why lives ended in this step, and the controllers that each reason ended. */
    private final Map<String, List<String>> ends = new TreeMap<>();
    private volatile boolean running;
    private volatile boolean idle;
    /** The time of the clock at which this process began to lead; null before. */
    private volatile @Nullable Long leadsSince;
    private boolean typesStarted;
    private boolean saidThatTheyRun;
    private long nextReport;
    private long nextLook;

    /**
     * @param descriptors the controllers to run
     * @param guard decides whether a controller may write
     * @param leadership whether this process leads. No controller works before this process leads and its caches are at
     *     least as new as the lead; all controllers end when the lead is lost
     * @param standby whether the caches run before this process leads
     * @param runner runs the controllers' loops; its owner closes it
     * @throws IllegalArgumentException if two controllers have the same name
     */
    public ControllerManager(ControllerContext context, List<ControllerDescriptor> descriptors, ManagerGuard guard,
            Leadership leadership, Standby standby, LoopRunner runner) {
        this(context, descriptors, guard, leadership, standby, runner, "", List::of);
    }

    /**
     * @param part a suffix of the controllers' names in states, because the same controllers also run for other shards
     * @param shards the managers of the shards, whose states are part of this manager's state
     */
    ControllerManager(ControllerContext context, List<ControllerDescriptor> descriptors, ManagerGuard guard,
            Leadership leadership, Standby standby, LoopRunner runner, String part,
            Supplier<List<ControllerManager>> shards) {
        requireOneNameEach(descriptors);
        this.shards = shards;
        this.part = part;
        this.informers = context.informers();
        this.guard = guard;
        this.leadership = leadership;
        this.standby = standby;
        this.runner = runner;
        this.clock = context.clock();
        Set<ResourceType> required = new LinkedHashSet<>();
        descriptors.forEach(descriptor -> required.addAll(descriptor.requires()));
        this.types = new ServedTypes(context.client(), context.informers(), required, clock, this::wake);
        ManagedController.Surroundings around = new ManagedController.Surroundings(context,
                new ScopedInformers.Sharing(), runner, guard, leadership, standby, types, part, ends, this::wake);
        this.controllers = descriptors.stream().map(descriptor -> new ManagedController(descriptor, around)).toList();
        this.nextReport = clock.deadline(REPORT);
        this.nextLook = clock.deadline(LOOK_FOR_BLOCKED);
        leadership.whenLeading(this::wake);
        leadership.whenLost(this::wake);
    }

    private static void requireOneNameEach(List<ControllerDescriptor> descriptors) {
        Map<String, ControllerDescriptor> byName = new HashMap<>();
        for (ControllerDescriptor descriptor : descriptors) {
            for (String name : Stream.concat(Stream.of(descriptor.name()), descriptor.aliases().stream()).toList()) {
                ControllerDescriptor other = byName.put(name, descriptor);
                if (other != null && other != descriptor) {
                    throw new IllegalArgumentException("two controllers are called \"" + name + "\": " + other.name()
                            + " (" + other.origin() + ") and " + descriptor.name() + " (" + descriptor.origin()
                            + "); give one of them another name");
                }
            }
        }
    }

    @Override
    public long step() throws InterruptedException {
        boolean leads = leadership.isLeader();
        long next = manage(leads);
        idle = !leads && controllers.stream().noneMatch(ManagedController::lives);
        return next;
    }

    private long manage(boolean leads) throws InterruptedException {
        if (leadsSince == null && leads) {
            leadsSince = clock.nanoTime();
            nextReport = clock.deadline(REPORT);
        }
        Long since = leadsSince;
        if (isClosed() || (since == null && standby == Standby.COLD)) {
            return IDLE;
        }
        if (types.isNeeded() && !typesStarted) {
            typesStarted = true;
            runner.start("served-types", types);
        }
        long next = IDLE;
        if (controllers.stream().anyMatch(ManagedController::isGuarded)) {
            next = guard.look();
        }
        for (ManagedController controller : controllers) {
            next = Math.min(next, controller.step(since));
        }
        reportEnds();
        // The informers start after all controllers have registered their handlers.
        informers.startNew();
        running = leadership.isLeader() && controllers.stream().allMatch(ManagedController::isSettled);
        if (!leadership.isLeader()) {
            if (!stoodBy.isDone() && isReady()) {
                log.info("{}; this process is ready to take over", leadership.describeLeader());
                stoodBy.complete(null);
            }
            return next;
        }
        if (!running) {
            return Math.min(next, Math.min(report(), lookForBlocked()));
        }
        if (!saidThatTheyRun) {
            saidThatTheyRun = true;
            List<String> waiting = controllers.stream().filter(controller -> controller.controller() == null)
                    .map(ManagedController::label).toList();
            long observing = controllers.stream().filter(c -> c.state().doing().equals("observing")).count();
            log.info("all controllers are running{}{}", waiting.isEmpty() ? "" : ", except " + waiting,
                    observing == 0 ? "" : "; " + observing + " of them only observe and write nothing");
            ran.complete(null);
        }
        return Math.min(next, lookForBlocked());
    }

    private void reportEnds() {
        // Shards come and go in normal operation, with all their controllers.
        ends.forEach((why, names) -> log.atLevel(part.isEmpty() ? Level.INFO : Level.DEBUG).log("{}, because {}",
                names.size() == 1 ? names.getFirst() + " ends" : names.size() + " controllers end", why));
        saidThatTheyRun &= ends.isEmpty();
        nextReport = ends.isEmpty() ? nextReport : clock.deadline(REPORT);
        ends.clear();
    }

    /**
     * Logs the reasons why controllers do not run yet, if a report is due.
     * @return the nanoseconds until the next report
     */
    private long report() {
        if (clock.nanoTime() - nextReport >= 0) {
            nextReport = clock.deadline(REPORT);
            List<String> reasons = waitingFor();
            log.warn("the controllers are not running yet: {}{}",
                    String.join(", ", reasons.stream().limit(NAMED).toList()),
                    reasons.size() <= NAMED ? "" : " and " + (reasons.size() - NAMED) + " more");
        }
        return nextReport - clock.nanoTime();
    }

    private long lookForBlocked() {
        if (controllers.stream().noneMatch(ManagedController::hasLoops)) {
            return IDLE;
        }
        if (clock.nanoTime() - nextLook >= 0) {
            nextLook = clock.deadline(LOOK_FOR_BLOCKED);
            controllers.forEach(ManagedController::reportBlocked);
        }
        return nextLook - clock.nanoTime();
    }

    /**
     * Whether every controller runs, except those that wait for a type that is not served or do not run here. Shards
     * count, too.
     */
    public boolean isRunning() {
        return running && shardsRun();
    }

    private boolean shardsRun() {
        return shards.get().stream().allMatch(shard -> shard.running || !shard.leadership.isLeader());
    }

    /**
     * Whether the last step, after the end of the lead, found no controller: all syncs have ended and all handlers are
     * removed.
     */
    boolean isIdle() {
        return idle;
    }

    /**
     * Calls an action once, as soon as {@link #isRunning} is true for the first time: on the thread that steps the
     * manager, or at once on the caller's thread. The action must not block.
     */
    public void whenRunning(Runnable action) {
        CompletableFuture<Void> unused = ran.thenRun(action);
    }

    /** As {@link #whenRunning}, as soon as this process stands by and could take over at once. */
    public void whenStandingBy(Runnable action) {
        CompletableFuture<Void> unused = stoodBy.thenRun(action);
    }

    /** Whether another process leads, so that this one has nothing to do. */
    public boolean standsBy() {
        return leadsSince == null && leadership.isLeaderKnown() && !leadership.isLeader();
    }

    /** Whether this process does its work, or stands by and could take over at once. */
    public boolean isReady() {
        return shardsRun() && all().allMatch(ManagedController::isUnimpaired) && (running || standsBy()
                && (standby == Standby.COLD || controllers.stream().allMatch(ManagedController::isWarm)));
    }

    /**
     * Why controllers do not run although they should: one sentence per reason, such as a cache that has not synced.
     */
    public List<String> waitingFor() {
        Set<String> reasons = new LinkedHashSet<>();
        boolean leads = leadership.isLeader();
        if (!leads) {
            reasons.add(leadership.describeLeader());
        }
        if (leads || (leadsSince == null && standby == Standby.WARM)) {
            controllers.forEach(controller -> reasons.addAll(controller.waitingFor()));
        }
        shards.get().forEach(shard -> reasons.addAll(shard.waitingFor()));
        return new ArrayList<>(reasons);
    }

    /** The state of every controller, whether or not it has been made. */
    public List<ControllerState> states() {
        return all().map(ManagedController::state).toList();
    }

    /** The state of every controller in more detail. */
    public List<LiveController> live() {
        return all().map(ManagedController::live).toList();
    }

    /** The controllers of this manager and those of the shards. */
    private Stream<ManagedController> all() {
        return Stream.concat(controllers.stream(), shards.get().stream().flatMap(ControllerManager::all));
    }

    /** Changes the controller with a name while it runs; empty if there is none. */
    public Optional<ControllerControl> control(String name) {
        return all().filter(controller -> controller.label().equals(name)).map(ManagedController::control)
                .findFirst();
    }

    /**
     * The controller with a name, with or without the suffix {@code -controller}; empty if there is none or it has not
     * been made.
     */
    public Optional<Controller> controller(String name) {
        return controllers(name).stream().findFirst();
    }

    /** The controllers with a name, as of {@link #controller}: one for each shard that this process works on. */
    public List<Controller> controllers(String name) {
        return controllers().stream().filter(c -> c.name().equals(name) || c.name().equals(name + "-controller"))
                .toList();
    }

    /** The controllers that are made, in the order of their descriptors; those of the shards come last. */
    public List<Controller> controllers() {
        return all().map(ManagedController::controller).filter(Objects::nonNull).toList();
    }

    /** Shuts the controllers' queues down, in reverse order. Does not wait for running syncs. */
    @Override
    public void close() {
        super.close();
        types.close();
        controllers.reversed().forEach(ManagedController::close);
    }

    /**
     * Waits, after {@link #close}, until no sync is running, so that no sync is cut off between two writes.
     *
     * @param within the longest time to wait for all controllers together
     * @return the names of the controllers that still run a sync, or another step, after that time
     */
    public List<String> drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        List<String> left = new ArrayList<>();
        for (ManagedController controller : controllers.reversed()) {
            if (!controller.drain(Duration.ofNanos(Math.max(0, deadline - clock.nanoTime())))) {
                left.add(controller.label());
            }
        }
        return left;
    }
}
