package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/**
 * An API server and a controller manager, stepped by the caller's thread. The caches are up to date before
 * each turn of the workers, as on an idle machine.
 */
public class SteppedSystem implements AutoCloseable {
    private static final int ENDLESS = 200_000;

    public final ManualClock clock = new ManualClock();
    public final ApiServer server;
    private final KubeClient user;
    private final KubeClient client;
    private final long seed;
    private final Stepper stepper;
    private List<ControllerDescriptor> descriptors = BuiltInControllers.all();
    private Options options = Options.DEFAULTS;
    private @Nullable SteppedManager manager;
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
        this(interceptor, seed, order, ApiServerOptions.defaults().withRandom(ids).withStorage(storage)
                .withRuntimeConfig(RuntimeConfig.parse("api/all=true")));
    }

    /** @param options of the server, except for its clock */
    protected SteppedSystem(Interceptor interceptor, long seed, @Nullable Random order, ApiServerOptions options) {
        this.seed = seed;
        server = new ApiServer(options.withClock(clock));
        user = server.client("user");
        client = new InterceptedClient(server.client("wheelhouse"), interceptor);
        stepper = new Stepper(clock, server.store()::version, ENDLESS, order, true);
    }

    /** The manager's client. */
    public final KubeClient client() {
        return client;
    }

    /** A client of somebody else. */
    public final KubeClient user() {
        return user;
    }

    /** Sets the controllers for the next start, instead of all built-in ones. */
    public SteppedSystem with(List<ControllerDescriptor> others) {
        descriptors = List.copyOf(others);
        return this;
    }

    /** Sets the options of the controllers for the next start, instead of the defaults. */
    public SteppedSystem with(Options others) {
        options = others;
        return this;
    }

    public void startManager() {
        stopManager();
        SteppedManager made = new SteppedManager(client, clock, descriptors, false, process -> process.options(options)
                .caches(InformerOptions.builder().batch(1).seed(seed).build()));
        stepper.add(made.process());
        manager = made;
    }

    public void stopManager() {
        if (manager != null) {
            stepper.remove(manager.process());
            manager = null;
        }
    }

    /** Steps until no loop has work. Moves the clock by up to {@code slack} for work that becomes due meanwhile. */
    public void settle(Duration slack) {
        long left = slack.toNanos();
        for (nextDue = stepper.settle(); nextDue <= left; nextDue = stepper.settle()) {
            left -= nextDue;
            clock.advance(Duration.ofNanos(nextDue));
        }
        RuntimeException failure = stepper.failure();
        if (failure != null) {
            throw failure;
        }
    }

    /** The time until the next loop has work, as of the last {@link #settle}; null if none will have. */
    public @Nullable Duration nextDue() {
        return nextDue == Loop.IDLE ? null : Duration.ofNanos(nextDue);
    }

    @Override
    public void close() {
        stopManager();
        server.close();
    }
}
