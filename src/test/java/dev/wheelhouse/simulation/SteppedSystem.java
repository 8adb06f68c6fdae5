package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext.Settings;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.node.TtlController;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;

/**
 * An API server and a controller manager, stepped by the caller's thread. The caches are up to date before
 * each turn of the workers, as on an idle machine.
 */
public final class SteppedSystem implements AutoCloseable {
    /** Controllers that write although nobody has made a workload. */
    private static final Set<String> OTHERS = Set.of("namespace-controller", "disruption-controller",
            "clusterrole-aggregation-controller", "root-ca-certificate-publisher-controller",
            "serviceaccount-controller", NodeLifecycleController.NAME, TaintEvictionController.NAME,
            TtlController.NAME, QuotaController.NAME, ServiceCidrController.NAME);
    /** All controllers except those of namespaces, disruption budgets, quotas, nodes, service accounts and roles. */
    static final List<ControllerDescriptor> WORKLOADS = BuiltInControllers.all().stream()
            .filter(c -> !OTHERS.contains(c.name())).toList();
    static final KubeClient.Discovered WORKLOAD_TYPES = new KubeClient.Discovered(
            List.of(ResourceType.DEPLOYMENTS, ResourceType.REPLICA_SETS, ResourceType.PODS), List.of());

    private static final int ENDLESS = 200_000;

    public final ManualClock clock = new ManualClock();
    public final ApiServer server;
    public final KubeClient user;
    private final Interceptor interceptor;
    private final long seed;
    private final @Nullable Random order;
    private List<ControllerDescriptor> descriptors = BuiltInControllers.all();
    private Settings settings = Settings.stepped();
    private @Nullable Manager manager;
    private long nextDue = Loop.IDLE;

    /**
     * @param interceptor intercepts the calls from the manager to the server
     * @param seed determines UIDs and generated names
     * @param order determines the order of the workers in each turn; null for a fixed order
     */
    public SteppedSystem(Interceptor interceptor, long seed, @Nullable Random order) {
        this(interceptor, seed, order, Storage.inMemory(), new SplittableRandom(seed));
    }

    /**
     * @param storage the initial content of the server
     * @param ids the source of the server's UIDs and generated names
     */
    public SteppedSystem(Interceptor interceptor, long seed, @Nullable Random order, Storage storage,
            RandomGenerator ids) {
        this.interceptor = interceptor;
        this.seed = seed;
        this.order = order;
        server = new ApiServer(ApiServerOptions.defaults().withClock(clock)
                .withRandom(ids).withStorage(storage).withRuntimeConfig(RuntimeConfig.parse("api/all=true")));
        user = server.client("user");
    }

    /** Sets the controllers for the next start, instead of all built-in ones. */
    public SteppedSystem with(List<ControllerDescriptor> others) {
        descriptors = List.copyOf(others);
        return this;
    }

    /** Sets the options of the controllers for the next start, instead of the defaults. */
    public SteppedSystem with(Options options) {
        settings = Settings.stepped().with(options);
        return this;
    }

    public void startManager() {
        stopManager();
        manager = newManager();
    }

    Manager newManager() {
        return new Manager(new InterceptedClient(server.client("wheelhouse"), interceptor), clock, descriptors, seed,
                settings, context -> context);
    }

    public void stopManager() {
        if (manager != null) {
            manager.close();
            manager = null;
        }
    }

    /**
     * Takes one turn.
     * @return whether any loop had work
     */
    boolean turn() throws InterruptedException {
        nextDue = Loop.IDLE;
        Manager current = manager;
        if (current == null) {
            return false;
        }
        boolean busy = false;
        for (int i = 0; stepAll(current.caches()); i++) {
            busy = true;
            check(i);
        }
        nextDue = Loop.IDLE;
        stepAll(current.caches());
        List<Loop> workers = current.workers();
        if (order != null) {
            Collections.shuffle(workers, order);
        }
        return stepAll(workers) || busy;
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

    /** Steps until no loop has work. Moves the clock by up to {@code slack} for work that becomes due meanwhile. */
    public void settle(Duration slack) throws InterruptedException {
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

    /** The time until the next loop has work, as of the last turn; null if none will have. */
    public @Nullable Duration nextDue() {
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
