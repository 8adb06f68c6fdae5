package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Makes controllers and starts the informers that they asked for. Starts each controller's loops when that controller's
 * own caches have synced, so that a type that cannot be listed delays only the controllers that need it (upstream:
 * {@code cmd/kube-controller-manager/app/controllermanager.go}).
 *
 * <p>It is a {@link Loop} that sleeps until the election is won, until a cache has synced, or until it is time to try
 * or to report again. One thread steps it; any thread may ask for its state and close it.
 */
public final class ControllerManager extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(ControllerManager.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration REPORT = Duration.ofSeconds(10);

    private final ControllerContext context;
    private final List<ControllerDescriptor> descriptors;
    private final LoopRunner runner;
    private final ManagerGuard guard;
    private final Leadership leadership;
    private final Clock clock;
    private final List<Controller> controllers = new CopyOnWriteArrayList<>();
    private final Set<Controller> waiting = new LinkedHashSet<>();
    private final CompletableFuture<Void> running = new CompletableFuture<>();
    private volatile boolean made;
    private long nextReport;

    /**
     * @param descriptors the controllers to run
     * @param guard decides whether the controllers may write, before any is made
     * @param leadership no controller is made before this process leads, so that a new leader's caches begin with a
     *     consistent list
     * @param runner runs the controllers' loops; its owner closes it
     */
    public ControllerManager(ControllerContext context, List<ControllerDescriptor> descriptors, ManagerGuard guard,
            Leadership leadership, LoopRunner runner) {
        this.context = context;
        this.descriptors = List.copyOf(descriptors);
        this.guard = guard;
        this.leadership = leadership;
        this.runner = runner;
        this.clock = context.clock();
        this.nextReport = clock.deadline(REPORT);
        leadership.whenLeading(this::wake);
    }

    @Override
    public long step() {
        if (isClosed() || isRunning() || (!made && !leadership.isLeader())) {
            return IDLE;
        }
        if (!made) {
            if (!guard.decide()) {
                return Math.min(RETRY.toNanos(), report());
            }
            make();
        }
        startSynced();
        if (waiting.isEmpty()) {
            log.info("all controllers are running: {}", controllers.stream().map(Controller::name).toList());
            running.complete(null);
            return IDLE;
        }
        return report();
    }

    /**
     * Logs the reasons why controllers do not run yet, if a report is due.
     * @return the nanoseconds until the next report
     */
    private long report() {
        if (clock.nanoTime() - nextReport >= 0) {
            nextReport = clock.deadline(REPORT);
            log.warn("the controllers are not running yet: {}", waitingFor());
        }
        return nextReport - clock.nanoTime();
    }

    private void make() {
        for (ControllerDescriptor descriptor : descriptors) {
            Controller controller = descriptor.factory().apply(context);
            controllers.add(controller);
            waiting.add(controller);
            controller.informers().forEach(informer -> informer.whenSynced(this::wake));
        }
        made = true;
        context.informers().startNew();
    }

    private void startSynced() {
        for (Controller controller : List.copyOf(waiting)) {
            if (controller.informers().stream().allMatch(SharedIndexInformer::hasSynced)) {
                waiting.remove(controller);
                int i = 0;
                for (Loop loop : controller.loops()) {
                    runner.startOnPlatformThread(controller.name() + "-" + i++, loop);
                }
            }
        }
    }

    /** Whether all controllers' loops have been started. */
    public boolean isRunning() {
        return running.isDone();
    }

    /**
     * Calls an action once, as soon as {@link #isRunning} is true: on the thread that steps the manager, or at once on
     * the caller's thread. The action must not block.
     */
    public void whenRunning(Runnable action) {
        CompletableFuture<Void> unused = running.thenRun(action);
    }

    /** Whether another process leads, so that this one has nothing to do. */
    public boolean standsBy() {
        return !made && leadership.isLeaderKnown() && !leadership.isLeader();
    }

    /** Why controllers are not running yet: one sentence per reason, such as a cache that has not synced. */
    public List<String> waitingFor() {
        Set<String> reasons = new LinkedHashSet<>();
        if (!made && !leadership.isLeader()) {
            reasons.add(leadership.describeLeader());
        } else if (!made) {
            reasons.add(guard.problem().isEmpty() ? "the controllers have not been made yet" : guard.problem());
        }
        for (Controller controller : controllers) {
            for (SharedIndexInformer<?> informer : controller.informers()) {
                if (!informer.hasSynced()) {
                    reasons.add(informer.state().reasonNotSynced());
                }
            }
        }
        return new ArrayList<>(reasons);
    }

    /**
     * The controller with a name, with or without the suffix {@code -controller}; empty if there is none or it has not
     * been made yet.
     */
    public Optional<Controller> controller(String name) {
        return controllers.stream().filter(c -> c.name().equals(name) || c.name().equals(name + "-controller"))
                .findFirst();
    }

    /** The controllers made so far, in the order of their creation. */
    public List<Controller> controllers() {
        return List.copyOf(controllers);
    }

    /** Shuts the controllers' queues down, in reverse order of their creation. Does not wait for running syncs. */
    @Override
    public void close() {
        super.close();
        List.copyOf(controllers).reversed().forEach(Controller::close);
    }

    /**
     * Waits, after {@link #close}, until no sync is running, so that no sync is cut off between two writes.
     *
     * @param within the longest time to wait for all controllers together
     * @return the names of the controllers that still run a sync after that time
     */
    public List<String> drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        List<String> left = new ArrayList<>();
        for (Controller controller : List.copyOf(controllers).reversed()) {
            if (!controller.drain(Duration.ofNanos(Math.max(0, deadline - clock.nanoTime())))) {
                left.add(controller.name());
            }
        }
        return left;
    }
}
