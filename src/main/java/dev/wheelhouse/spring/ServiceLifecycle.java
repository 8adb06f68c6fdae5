package dev.wheelhouse.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.Engine;

/**
 * Starts the controllers, then the nodes and the scheduler. Stops them in reverse order, but the caches of the
 * controllers end after the nodes, which use them. The connection to the API server is closed last, by its bean.
 */
final class ServiceLifecycle implements SmartLifecycle {
    private final Engine engine;
    private final HollowCluster cluster;
    private final ObjectProvider<ReadyAnnouncer> announcers;
    private volatile boolean running;

    /** @param announcers prints what runs, once it runs; only the service has one */
    ServiceLifecycle(Engine engine, HollowCluster cluster, ObjectProvider<ReadyAnnouncer> announcers) {
        this.engine = engine;
        this.cluster = cluster;
        this.announcers = announcers;
    }

    @Override
    public void start() {
        running = true;
        engine.start();
        cluster.start();
        announcers.ifAvailable(announcer -> engine.runner().start("ready-announcer", announcer));
    }

    @Override
    public void stop() {
        engine.stop(cluster::close);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
