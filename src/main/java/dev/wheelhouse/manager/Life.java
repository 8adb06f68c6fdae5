package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.OutageBackoff;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * One life of a controller, from its making to its end. A life that a standby made waits until {@link #begin}: its
 * caches run, but no handler is registered and no loop runs. The manager's thread calls the methods; any thread may
 * read.
 */
final class Life {
    private static final Duration GRACE = Duration.ofSeconds(2);

    final Controller controller;
    /** Whether the controller was made to plan without writing. */
    final boolean observes;
    final List<SharedIndexInformer<?>> caches;
    private final ScopedInformers informers;
    private final BooleanSupplier acts;
    private final ControllerControl controls;
    private final LoopRunner runner;
    private final Clock clock;
    private final Runnable wake;
    private final List<Loop> furtherWorkers = new CopyOnWriteArrayList<>();
    /** The caches that may be older than the beginning of the lead. */
    private final Set<SharedIndexInformer<?>> stale = ConcurrentHashMap.newKeySet();
    private volatile List<WhileLeading> loops = List.of();
    private volatile boolean begun;
    private volatile boolean opened;
    /** Whether the handlers have had the initial list. */
    private volatile boolean handled;
    private volatile boolean running;
    private volatile String ending = "";
    private boolean interrupted;
    private long interruptAt;

    /** @param acts whether the controller may act: the process leads and goes on */
    Life(Controller controller, boolean observes, ScopedInformers informers, BooleanSupplier acts,
            ControllerControl controls,
            ManagedController.Surroundings around) {
        this.controller = controller;
        this.observes = observes;
        this.informers = informers;
        this.acts = acts;
        this.controls = controls;
        this.runner = around.runner();
        this.clock = around.context().clock();
        this.wake = around.wake();
        this.caches = controller.informers();
        caches.forEach(informer -> informer.whenSynced(wake));
    }

    /** Begins in a process that always leads: any state of the caches is fresh enough. */
    void begin() {
        begun = true;
    }

    /**
     * Begins, unless it has begun. The controller works as soon as its caches are at least as new as the lead, so that
     * it sees all writes of the previous leader.
     *
     * @param leadsSince the time of the clock at which this process began to lead
     */
    void begin(long leadsSince) {
        if (begun) {
            return;
        }
        stale.addAll(caches);
        begun = true;
        caches.forEach(cache -> cache.whenFresh(leadsSince, () -> {
            stale.remove(cache);
            wake.run();
        }));
    }

    boolean hasBegun() {
        return begun;
    }

    /** Whether each cache holds a whole collection, which may be an old one. */
    boolean isWarm() {
        return caches.stream().allMatch(SharedIndexInformer::hasSynced);
    }

    /**
     * Starts the loops once the caches allow it and the handlers have had the initial list: some controllers learn from
     * their handlers what they need to act, such as which objects other clients have made.
     *
     * @return whether they were started by this call
     */
    boolean startIfReady() {
        if (running || !begun || !stale.isEmpty() || !isWarm()) {
            return false;
        }
        if (!opened) {
            opened = true;
            informers.open();
            informers.whenHandled(caches, () -> {
                handled = true;
                wake.run();
            });
        }
        if (!handled) {
            return false;
        }
        Map<OutageBackoff<?>, Integer> workers = new HashMap<>();
        for (Loop loop : controller.loops()) {
            start(loop, loop instanceof Worker<?> worker ? workers.merge(worker.outage(), 1, Integer::sum) - 1 : -1);
        }
        running = true;
        return true;
    }

    private void start(Loop loop, int number) {
        WhileLeading whileLeading = new WhileLeading(loop, acts, controls.gate(), number);
        runner.startOnPlatformThread(controller.name() + "-" + loops.size(), whileLeading);
        List<WhileLeading> started = new ArrayList<>(loops);
        started.add(whileLeading);
        loops = List.copyOf(started);
    }

    void startFurtherWorkers() {
        if (running) {
            controls.furtherWorkers().forEach(further -> {
                start(further.worker(), further.number());
                furtherWorkers.add(further.worker());
            });
        }
    }

    boolean runs() {
        return running && ending.isEmpty();
    }

    /** Why this life ends, in a clause; empty if it does not. */
    String ending() {
        return ending;
    }

    List<WhileLeading> loops() {
        return loops;
    }

    /** Why the controller does not work yet, one sentence per cache. */
    Set<String> waitingFor() {
        Set<String> reasons = new LinkedHashSet<>();
        for (SharedIndexInformer<?> cache : caches) {
            if (!cache.hasSynced()) {
                reasons.add(cache.state().reasonNotSynced());
            } else if (stale.contains(cache)) {
                reasons.add(cache.state().name() + ": the cache has not reached the beginning of the lead yet");
            }
        }
        if (opened && !handled) {
            reasons.add(controller.name() + ": its handlers have not had every object of its caches yet");
        }
        reasons.addAll(controller.problems());
        return reasons;
    }

    void close() {
        controller.close();
        furtherWorkers.forEach(Loop::close);
    }

    void end(String why) {
        ending = why;
        interruptAt = clock.deadline(GRACE);
        close();
    }

    /**
     * Whether all its syncs have ended and its handlers are removed.
     * @param gone the types that are not served any more
     */
    boolean hasEnded(Predicate<ResourceType> gone) throws InterruptedException {
        boolean idle = controller.drain(Duration.ZERO);
        if (!interrupted && (idle || clock.nanoTime() - interruptAt >= 0)) {
            interrupted = true;
            loops.forEach(runner::stop);
        }
        if (idle) {
            informers.close(gone);
        }
        return idle;
    }

    /** Waits until no loop is in a step, after it may not act any more. @return false if a step is still under way */
    boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        boolean ended = controller.drain(within);
        for (WhileLeading loop : loops) {
            ended &= loop.awaitStep(Duration.ofNanos(deadline - clock.nanoTime()));
        }
        return ended;
    }
}
