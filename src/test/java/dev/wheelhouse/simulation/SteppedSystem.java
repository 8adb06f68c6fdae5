package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.EmbeddedApiServer;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/**
 * An API server and a controller manager, stepped by the caller's thread. Without a random order, caches are brought up to date
 * before each turn of the workers, as on a machine with nothing else to do.
 */
final class SteppedSystem implements AutoCloseable {
    /** All controllers but those of namespaces and disruption budgets. */
    static final List<ControllerDescriptor> WORKLOADS = BuiltInControllers.all().stream()
            .filter(c -> !Set.of("namespace-controller", "disruption-controller").contains(c.name())).toList();
    static final KubeClient.Discovered WORKLOAD_TYPES = new KubeClient.Discovered(
            List.of(ResourceType.DEPLOYMENTS, ResourceType.REPLICA_SETS, ResourceType.PODS), List.of());

    private static final int ENDLESS = 200_000;

    final ManualClock clock = new ManualClock();
    final EmbeddedApiServer server;
    final KubeClient user;
    private final Interceptor interceptor;
    private final long seed;
    private final @Nullable Random order;
    private List<ControllerDescriptor> descriptors = BuiltInControllers.all();
    private @Nullable Manager manager;
    private long nextDue = Loop.IDLE;

    /**
     * @param interceptor between the manager and the server
     * @param seed of UIDs and generated names
     * @param order draws the order of steps, or null for the fixed one
     */
    SteppedSystem(Interceptor interceptor, long seed, @Nullable Random order) {
        this(interceptor, seed, order, Storage.inMemory());
    }

    /** @param storage what the server begins with */
    SteppedSystem(Interceptor interceptor, long seed, @Nullable Random order, Storage storage) {
        this.interceptor = interceptor;
        this.seed = seed;
        this.order = order;
        server = new EmbeddedApiServer(ApiServerOptions.defaults().withClock(clock)
                .withRandom(new SplittableRandom(seed)).withStorage(storage));
        user = server.client("user");
    }

    /** Runs these controllers instead of all that are built in, from the next start on. */
    SteppedSystem with(List<ControllerDescriptor> others) {
        descriptors = List.copyOf(others);
        return this;
    }

    void startManager() {
        stopManager();
        manager = newManager();
    }

    Manager newManager() {
        return new Manager(new InterceptedClient(server.client("wheelhouse"), interceptor), clock, descriptors, seed);
    }

    void stopManager() {
        if (manager != null) {
            manager.close();
            manager = null;
        }
    }

    /** One turn. @return whether anybody had something to do */
    boolean turn() throws InterruptedException {
        nextDue = Loop.IDLE;
        Manager current = manager;
        if (current == null) {
            return false;
        }
        if (order == null) {
            boolean busy = false;
            for (int i = 0; stepAll(current.caches()); i++) {
                busy = true;
                check(i);
            }
            nextDue = Loop.IDLE;
            stepAll(current.caches());
            return stepAll(current.workers()) || busy;
        }
        List<Loop> all = new ArrayList<>(current.caches());
        all.addAll(current.workers());
        Collections.shuffle(all, order);
        return stepAll(all);
    }

    private boolean stepAll(List<Loop> loops) throws InterruptedException {
        boolean busy = false;
        for (Loop loop : loops) {
            long wait = loop.step();
            busy |= wait == Loop.BUSY;
            if (wait > 0) {
                nextDue = Math.min(nextDue, wait);
            }
        }
        return busy;
    }

    /** Steps until nobody has anything to do, and lets up to {@code slack} pass for what is due in it. */
    void settle(Duration slack) throws InterruptedException {
        long left = slack.toNanos();
        for (int i = 0;; i++) {
            check(i);
            if (turn()) {
                continue;
            }
            if (nextDue > left) {
                return;
            }
            left -= nextDue;
            clock.advance(Duration.ofNanos(nextDue));
        }
    }

    /** How long until somebody wants to be stepped again, as of the last turn; null for never. */
    @Nullable
    Duration nextDue() {
        return nextDue == Loop.IDLE ? null : Duration.ofNanos(nextDue);
    }

    private static void check(int turns) {
        if (turns > ENDLESS) {
            throw new AssertionError("no quiescence after " + turns + " turns");
        }
    }

    @Override
    public void close() {
        stopManager();
        server.close();
    }
}
