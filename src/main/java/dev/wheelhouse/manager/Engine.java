package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The parts of one process that runs controllers. Starts them, and stops them in reverse order: the controllers,
 * which finish their syncs, the lead, the caches, the recorded Events and the threads. It does not close the connection
 * to the API server.
 *
 * @param shards the controllers of the shards that this process leads
 * @param runner runs the loops of all parts
 */
public record Engine(Election election, ControllerManager manager, Shards shards, InformerFactory informers,
        EventBroadcaster events, LoopRunner runner) {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofMillis(20);

    /**
     * The settings of controllers that write while the process leads, unless the guard makes them observe. The options
     * of the built-in controllers are the defaults.
     *
     * @param workers the number of a controller's workers, by its name and its own default
     */
    public static ControllerContext.Settings settings(ControllerContext.Workers workers,
            ManagerGuard guard, Leadership leadership, ControllerMetrics metrics) {
        return new ControllerContext.Settings(workers, Parallel.virtualThreads(16), guard::observes,
                controller -> leadership.isLeader() && !guard.observes(controller), metrics);
    }

    public void start() {
        informers.start(runner);
        election.start(runner, manager::isReady);
        runner.startOnPlatformThread("event-broadcaster", events);
        runner.start("controller-manager", manager);
        shards.start();
    }

    /**
     * Returns after all threads have ended, or after some seconds. Running syncs have two seconds to end. The lead is
     * released when all have ended; otherwise only when their threads have ended.
     *
     * @param afterControllers runs after the controllers have ended, while the caches still run
     */
    public void stop(Runnable afterControllers) {
        manager.close();
        boolean ended = drainControllers();
        boolean gaveBack = giveShardsBack();
        if (ended) {
            election.release();
        }
        afterControllers.run();
        informers.close();
        drainEvents();
        List<String> left = runner.close(GRACE);
        if (!left.isEmpty()) {
            log.warn("these threads did not end within {} s: {}", GRACE.toSeconds(), left);
        }
        if (!ended) {
            election.release();
        }
        if (!gaveBack) {
            shards.end();
        }
        election.close();
    }

    /** @return whether all syncs have ended */
    private boolean drainControllers() {
        try {
            List<String> left = manager.drain(GRACE);
            if (!left.isEmpty()) {
                log.warn("the syncs of these controllers have not ended within {} s and are interrupted: {}",
                        GRACE.toSeconds(), left);
            }
            return left.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** @return whether the controllers of all shards have ended */
    private boolean giveShardsBack() {
        try {
            for (long left = GRACE.toMillis(); !shards.end(); left -= LOOK.toMillis()) {
                if (left <= 0) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void drainEvents() {
        try {
            int lost = events.drain(Duration.ofSeconds(1));
            if (lost > 0) {
                log.warn("{} Kubernetes Events were recorded but could not be written before the stop", lost);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
