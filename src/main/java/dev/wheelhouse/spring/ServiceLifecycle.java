package dev.wheelhouse.spring;

import java.util.concurrent.CountDownLatch;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.Engine;

/**
 * Starts the controllers, then the nodes and the scheduler. Stops them in reverse order, but the caches of the
 * controllers end after the nodes, which use them. The connection to the API server is closed last, by its bean. The
 * process goes on while there are controllers or nodes.
 */
final class ServiceLifecycle implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ServiceLifecycle.class);

    static final String KEEP_ALIVE = "wheelhouse/keep-alive";

    private final Engine engine;
    private final HollowCluster cluster;
    private final ObjectProvider<ReadyAnnouncer> announcers;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final @Nullable String absent;
    private volatile boolean running;

    /**
     * @param announcers prints what runs, once it runs; only the service has one
     * @param absent why there is no API server, so that nothing starts; null if there is one
     */
    ServiceLifecycle(Engine engine, HollowCluster cluster, ObjectProvider<ReadyAnnouncer> announcers,
            @Nullable String absent) {
        this.absent = absent;
        this.engine = engine;
        this.cluster = cluster;
        this.announcers = announcers;
    }

    @Override
    public void start() {
        if (stopped.getCount() == 0) {
            throw new IllegalStateException("Wheelhouse was stopped, and does not start again in the same context: "
                    + "close the context, and make another one");
        }
        if (absent != null) {
            if (!engine.manager().states().isEmpty()) {
                log.warn("no controller runs: {}", absent);
            }
            return;
        }
        running = true;
        if (!engine.manager().states().isEmpty() || cluster.nodeCount() > 0) {
            keepAlive();
        }
        engine.start();
        cluster.start();
        announcers.ifAvailable(announcer -> engine.runner().start("ready-announcer", announcer));
    }

    /**
     * Starts a thread that is no daemon. All other threads are daemons, so without a web server the process would end
     * as soon as it has started.
     */
    private void keepAlive() {
        Thread.ofPlatform().daemon(false).name(KEEP_ALIVE).start(() -> {
            try {
                stopped.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Override
    public void stop() {
        try {
            engine.stop(cluster::close);
        } finally {
            running = false;
            stopped.countDown();
        }
    }

    /**
     * False, because Spring's tests pause a context while another one is in use, and this lifecycle cannot start again.
     */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
