package dev.wheelhouse.manager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.runtime.Backoff;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * One controller of the manager, through all its lives. A life begins when the controller may run: the process leads,
 * the guard has decided, and the required types are served. The controller is made, its loops start when its own caches
 * have synced and its handlers have had their objects, and the life ends when one of the conditions ends or the guard
 * decides otherwise. The next life begins only after the last sync of the one before has ended. A warm standby already
 * makes the first life, so that the caches run, and begins it when the process leads. The manager's thread steps it;
 * any thread may ask for its state and close it.
 */
final class ManagedController {
    private static final Logger log = LoggerFactory.getLogger(ManagedController.class);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final ControllerDescriptor descriptor;
    private final Surroundings around;
    private final ControllerContext context;
    private final Clock clock;
    private final Backoff backoff;
    private final LiveSyncs syncs;
    private final ControllerControl controls;
    private final Runnable unmanaged;
    /** The preparation before each life; null if the controller needs none. */
    private final @Nullable PreparationLoop preparation;
    /** The preparation as a loop that runs; null before its start. */
    private volatile @Nullable WhileLeading preparing;
    private volatile @Nullable Life life;
    /** Why the controller is not made although it should be, in a sentence; empty if there is no such reason. */
    private volatile String problem = "";
    /** Why the controller is not made and should not be, in a sentence; empty if there is no such reason. */
    private volatile String heldBack = "";
    private volatile boolean closed;
    private boolean saidThatItWaits;
    private String lastFailure = "";
    private @Nullable Long nextTry;

    /**
     * The parts of a manager that its controllers share.
     *
     * @param part a suffix of the controllers' names in states and logs
     * @param ends why lives ended in this step of the manager, and the controllers that each reason ended
     * @param wake lets the manager step again
     */
    record Surroundings(ControllerContext context, ScopedInformers.Sharing sharing, LoopRunner runner,
            ManagerGuard guard, Leadership leadership, Standby standby, ServedTypes types, String part,
            Map<String, List<String>> ends, Runnable wake) {}

    ManagedController(ControllerDescriptor descriptor, Surroundings around) {
        this.descriptor = descriptor;
        this.around = around;
        this.context = around.context.of(descriptor.name());
        this.clock = context.clock();
        this.syncs = new LiveSyncs(label(), this::loops, clock);
        this.controls = new ControllerControl(label(), syncs, around.wake);
        this.backoff = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), 2, 0.1, Duration.ofMinutes(5), clock,
                new SplittableRandom());
        this.preparation = descriptor.preparation() == null
                ? null
                : new PreparationLoop(descriptor.preparation(), context, () -> {
                    around.types.lookSoon();
                    around.wake.run();
                });
        this.unmanaged = context.metrics().managed(descriptor.name(),
                () -> runs() && around.leadership.isLeader(),
                () -> syncs.blocking().size(), syncs::failingKeys);
    }

    private String name() {
        return descriptor.name();
    }

    /** The name, with the shard if there are several. */
    String label() {
        return name() + around.part;
    }

    /** Whether the controller has been made and its life has not ended. */
    boolean lives() {
        return life != null;
    }

    /** Whether it depends on another controller manager whether this controller may write. */
    boolean isGuarded() {
        return around.guard.concerns(name());
    }

    /**
     * Makes, begins, starts or ends the controller, whatever is due.
     *
     * @param leadsSince the time of the clock at which this process began to lead; null while it stands by
     * @return the nanoseconds until the next step
     */
    long step(@Nullable Long leadsSince) throws InterruptedException {
        Life now = life;
        if (now != null) {
            if (now.ending().isEmpty()) {
                String why = whyEnd(now);
                if (why.isEmpty()) {
                    if (leadsSince != null && !closed) {
                        goOn(now, leadsSince);
                    }
                    return Loop.IDLE;
                }
                now.end(why);
                if (now.hasBegun()) {
                    around.ends.computeIfAbsent(why, each -> new ArrayList<>()).add(label());
                }
            }
            List<ResourceType> missing = around.types.missing(descriptor.requires());
            if (!now.hasEnded(type -> missing.stream().anyMatch(each -> each.means(type)))) {
                return LOOK_AGAIN.toNanos();
            }
            life = null;
            if (preparation != null) {
                preparation.reset();
            }
        }
        if (closed || (leadsSince == null ? around.standby == Standby.COLD : !around.leadership.isLeader())) {
            return Loop.IDLE;
        }
        if (!around.guard.hasDecided(name())) {
            problem = around.guard.problem().isEmpty() ? name() + " has not been made yet" : around.guard.problem();
            return Loop.IDLE;
        }
        if (leadsSince != null && !isPrepared()) {
            return Loop.IDLE;
        }
        if (!around.types.knows(descriptor.requires())) {
            problem = name() + " waits for the first look at the types that the API server serves"
                    + (around.types.failure().isEmpty() ? "" : ": " + around.types.failure());
            return Loop.IDLE;
        }
        hold(whyHeldBack());
        if (!heldBack.isEmpty()) {
            problem = "";
            return Loop.IDLE;
        }
        long left = nextTry == null ? 0 : nextTry - clock.nanoTime();
        return left > 0 ? left : make(leadsSince);
    }

    /** Begins a life that has not begun, starts its loops when they may run, and starts missing workers. */
    private void goOn(Life now, long leadsSince) {
        if (!now.hasBegun()) {
            if (!isPrepared()) {
                return;
            }
            now.begin(leadsSince);
        }
        if (now.startIfReady() && saidThatItWaits) {
            saidThatItWaits = false;
            log.info("{} runs", label());
        }
        now.startFurtherWorkers();
    }

    private boolean isPrepared() {
        PreparationLoop loop = preparation;
        if (loop == null) {
            return true;
        }
        if (preparing == null) {
            WhileLeading started = new WhileLeading(loop, this::acts, controls.gate(), -1);
            preparing = started;
            around.runner.start(name() + "-preparation", started);
        }
        if (loop.isDone()) {
            return true;
        }
        hold(loop.waitsFor());
        problem = loop.failure();
        return false;
    }

    private String whyEnd(Life now) {
        List<ResourceType> missing = around.types.missing(descriptor.requires());
        if (now.hasBegun() && !around.leadership.isLeader()) {
            return "this process no longer leads";
        } else if (!missing.isEmpty()) {
            return "the API server no longer serves " + names(missing);
        } else if (around.guard.observes(name()) != now.observes) {
            return "this process " + (now.observes ? "writes" : "only observes") + " from now on";
        }
        return "";
    }

    private String whyHeldBack() {
        List<ResourceType> missing = around.types.missing(descriptor.requires());
        if (!missing.isEmpty()) {
            return name() + " waits until the API server serves " + names(missing)
                    + (missing.stream().allMatch(Schemas::isBuiltIn)
                            ? ", which older releases of Kubernetes do not, or not by default"
                            : ": install the CustomResourceDefinition, if there is none");
        }
        return !descriptor.plans() && around.guard.observes(name())
                ? name() + " does not run while this process observes, because it writes with a client of its own"
                : "";
    }

    private static String names(List<ResourceType> types) {
        return types.stream()
                .map(type -> type.groupResource() + (type.isNamed() ? "" : " in version " + type.version())).sorted()
                .collect(Collectors.joining(", "));
    }

    private void hold(String why) {
        if (!why.equals(heldBack)) {
            heldBack = why;
            if (!why.isEmpty()) {
                saidThatItWaits = true;
                log.info(why);
            }
        }
    }

    private long make(@Nullable Long leadsSince) {
        boolean always = around.leadership == Leadership.ALONE;
        ScopedInformers informers = new ScopedInformers(context.informers(), around.sharing, always,
                descriptor.isPrompt());
        LifeQueues queues = new LifeQueues(context, controls.limits());
        try {
            boolean observes = around.guard.observes(name());
            Life made = new Life(descriptor.factory().apply(context.with(informers).with(queues)), observes, informers,
                    this::acts, controls, around);
            life = made;
            controls.begin(queues);
            problem = "";
            lastFailure = "";
            nextTry = null;
            if (closed) {
                made.close();
                return Loop.IDLE;
            }
            if (always) {
                made.begin();
            }
            if (leadsSince != null) {
                goOn(made, leadsSince);
            }
            return Loop.IDLE;
        } catch (RuntimeException | Error e) {
            queues.shutDown();
            informers.close();
            life = null;
            return failed(e);
        }
    }

    /** Whether the controller may act: this process leads and the controller is not closed. */
    private boolean acts() {
        return !closed && around.leadership.isLeader();
    }

    private long failed(Throwable e) {
        Duration delay = backoff.next();
        nextTry = clock.deadline(delay);
        String error = e instanceof KubeApiException ? String.valueOf(e.getMessage()) : e.toString();
        problem = label() + " cannot be made: " + error;
        if (e instanceof KubeApiException || error.equals(lastFailure)) {
            log.error("{}; the next try is in {} ms", problem, delay.toMillis());
        } else {
            log.error("{} cannot be made ({}); the next try is in {} ms", label(), descriptor.origin(),
                    delay.toMillis(), e);
        }
        lastFailure = error;
        return delay.toNanos();
    }

    /** The controller of the current life; null if there is none. */
    @Nullable
    Controller controller() {
        Life now = life;
        return now == null || !now.ending().isEmpty() ? null : now.controller;
    }

    /** Whether there is nothing to wait for: the controller runs, or it should not run. */
    boolean isSettled() {
        Life now = life;
        return now == null ? !heldBack.isEmpty() : now.runs();
    }

    /** Whether it does all its work, as far as it runs. */
    boolean isUnimpaired() {
        Life now = life;
        return now == null || now.controller.problems().isEmpty();
    }

    /** Whether a standby has nothing left to prepare. */
    boolean isWarm() {
        Life now = life;
        return now == null ? !heldBack.isEmpty() : now.isWarm();
    }

    /** Why it does not run although it should, one sentence per reason. */
    Set<String> waitingFor() {
        Set<String> reasons = new LinkedHashSet<>();
        Life now = life;
        if (now == null) {
            if (heldBack.isEmpty()) {
                reasons.add(problem.isEmpty() ? label() + " has not been made yet" : problem);
            }
        } else if (!now.ending().isEmpty()) {
            reasons.add(label() + " ends its syncs, because " + now.ending());
        } else {
            if (!problem.isEmpty()) {
                reasons.add(problem);
            }
            reasons.addAll(now.waitingFor());
        }
        return reasons;
    }

    private boolean runs() {
        Life now = life;
        return now != null && now.runs();
    }

    ControllerState state() {
        Life now = life;
        String doing = now != null && runs()
                ? now.observes ? "observing" : "running"
                : heldBack.isEmpty() ? String.join("; ", waitingFor()) : heldBack;
        String otherwise = now == null || now.hasBegun() ? "starting" : "standing by";
        return new ControllerState(label(), name(), doing.isEmpty() ? otherwise : doing, syncs.blocked(),
                syncs.failingKeys(),
                syncs.failing());
    }

    /** The state in more detail. */
    LiveController live() {
        Life now = life;
        return controls.live(state(),
                now == null
                        ? List.of()
                        : now.caches.stream().map(cache -> cache.type().groupResource()).distinct().toList());
    }

    ControllerControl control() {
        return controls;
    }

    /** Whether its loops have been started, so that a sync may run. */
    boolean hasLoops() {
        return !loops().isEmpty();
    }

    private List<WhileLeading> loops() {
        Life now = life;
        return now == null ? List.of() : now.loops();
    }

    /** Logs the syncs that seem to block: each once after 30 s, and then every minute. */
    void reportBlocked() {
        syncs.report();
    }

    void close() {
        closed = true;
        unmanaged.run();
        if (preparation != null) {
            preparation.close();
        }
        Life now = life;
        if (now != null) {
            now.close();
        }
    }

    /** @return false if a sync, or another step of a loop, is still under way after {@code within} */
    boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        Life now = life;
        WhileLeading prepares = preparing;
        boolean ended = now == null || now.drain(within);
        return (prepares == null || prepares.awaitStep(Duration.ofNanos(deadline - clock.nanoTime()))) && ended;
    }
}
