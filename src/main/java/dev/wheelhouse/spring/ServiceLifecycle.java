package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Starts the parts of the service, and stops them in reverse order: the controllers, which finish their syncs, the
 * nodes and the scheduler, the caches, the recorded Events, the threads, and the lead. The connection to the API server
 * is closed last, by its bean.
 */
final class ServiceLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ServiceLifecycle.class);
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final Election election;
    private final ControllerManager manager;
    private final HollowCluster cluster;
    private final InformerFactory informers;
    private final EventBroadcaster events;
    private final ReadyAnnouncer announcer;
    private final LoopRunner runner;
    private volatile boolean running;

    ServiceLifecycle(Election election, ControllerManager manager, HollowCluster cluster,
            InformerFactory informers, EventBroadcaster events, ReadyAnnouncer announcer, LoopRunner runner) {
        this.election = election;
        this.manager = manager;
        this.cluster = cluster;
        this.informers = informers;
        this.events = events;
        this.announcer = announcer;
        this.runner = runner;
    }

    @Override
    public void start() {
        running = true;
        informers.start(runner);
        election.start(runner);
        runner.start("event-broadcaster", events);
        runner.start("controller-manager", manager);
        cluster.start();
        runner.start("ready-announcer", announcer);
    }

    @Override
    public void stop() {
        manager.close();
        drainControllers();
        cluster.close();
        informers.close();
        drainEvents();
        List<String> left = runner.close(GRACE);
        if (!left.isEmpty()) {
            log.warn("these threads did not end within {} s: {}", GRACE.toSeconds(), left);
        }
        election.release();
        running = false;
    }

    private void drainControllers() {
        try {
            List<String> left = manager.drain(GRACE);
            if (!left.isEmpty()) {
                log.warn("the syncs of these controllers have not ended within {} s and are interrupted: {}",
                        GRACE.toSeconds(), left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    @Override
    public boolean isRunning() {
        return running;
    }
}
