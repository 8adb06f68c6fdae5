package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.RunningSync;
import dev.wheelhouse.event.EventBroadcaster;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The parts of one process that runs controllers. Starts them, and stops them in reverse order: the controllers,
 * which finish their syncs, the lead, the caches, the recorded Events and the threads. It does not close the connection
 * to the API server.
 *
 * @param shards the controllers of the shards that this process leads
 * @param runner runs the loops of all parts
 * @param grace the time that running syncs have to end at a stop
 */
public record Engine(Election election, ControllerManager manager, Shards shards, InformerFactory informers,
        EventBroadcaster events, LoopRunner runner, Duration grace) {
    private static final Logger log = LoggerFactory.getLogger(Engine.class);
    /** The time that running syncs have to end at a stop, unless somebody says otherwise. */
    public static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofMillis(20);

    /**
     * Makes the contexts of controllers that write while the process leads, unless the guard makes them observe.
     *
     * @param clients the client for the own requests of a controller
     * @param workers the number of a controller's workers, by its name and its own default
     * @param parallel runs the writes of one batch
     * @param journal gets each write, with the sync that the journal names as the reason of an Event
     */
    public static Shards.Contexts contexts(KubeClient client, Function<String, ? extends KubeClient> clients,
            Clock clock, EventBroadcaster events, ManagerGuard guard, ControllerContext.Workers workers,
            Parallel parallel, Options options, Journal journal) {
        return (informers, lead, metrics) -> new ControllerContext(client, clients, informers, clock,
                component -> events.recorder(component, () -> RunningSync.reason(component, clock)),
                new ControllerContext.Settings(workers, parallel, guard::observes,
                        controller -> lead.isLeader() && !guard.observes(controller), metrics, options, journal));
    }

    /**
     * Wires the parts of a process without shards: on threads, or with a {@link dev.wheelhouse.runtime.SteppedRunner}
     * for a caller who steps its loops. Each method returns this object. Not thread safe.
     */
    public static final class Builder {
        private static final int WORKERS = 5;

        private final KubeClient client;
        private final Clock clock;
        private final LoopRunner runner;
        private Function<String, ? extends KubeClient> clients;
        private Election election = Election.none();
        private Standby standby = Standby.COLD;
        private ManagerGuard.Mode mode = ManagerGuard.Mode.TAKEOVER;
        private ControllerMetrics metrics = ControllerMetrics.NONE;
        private InformerOptions caches = InformerOptions.defaults();
        private Options options = Options.DEFAULTS;
        private Duration grace = GRACE;

        /** @param runner runs the loops of all parts. If it gives no threads, batches are written in order */
        public Builder(KubeClient client, Clock clock, LoopRunner runner) {
            this.client = client;
            this.clock = clock;
            this.runner = runner;
            this.clients = controller -> client;
        }

        /** The client for the own requests of a controller, by its name; by default the client of the process. */
        public Builder clients(Function<String, ? extends KubeClient> byName) {
            clients = byName;
            return this;
        }

        /** Lets controllers act only while this process leads; by default it always leads. */
        public Builder election(Election lead, Standby caching) {
            election = lead;
            standby = caching;
            return this;
        }

        /** Whether the controllers write; by default they do. */
        public Builder mode(ManagerGuard.Mode wanted) {
            mode = wanted;
            return this;
        }

        /** Counts syncs and writes; its registry counts everything else. By default nothing is counted. */
        public Builder metrics(ControllerMetrics counts) {
            metrics = counts;
            return this;
        }

        /** The options of the informers. */
        public Builder caches(InformerOptions wanted) {
            caches = wanted;
            return this;
        }

        /** The options of the built-in controllers. */
        public Builder options(Options wanted) {
            options = wanted;
            return this;
        }

        /** The time that running syncs have to end at a stop. */
        public Builder grace(Duration time) {
            grace = time;
            return this;
        }

        /** Makes the parts, and starts none. */
        public Engine build(List<ControllerDescriptor> controllers) {
            boolean threads = runner.givesThreads();
            ManagerGuard guard = new ManagerGuard(mode, client, clock);
            InformerFactory informers = new InformerFactory(client, clock, metrics.registry(), caches);
            EventBroadcaster events = new EventBroadcaster(client, clock, metrics.registry());
            Shards shards = Shards.none(informers, guard, runner);
            ControllerContext context = contexts(client, clients, clock, events, guard,
                    (controller, preset) -> !threads ? 1 : preset == null ? WORKERS : preset,
                    threads ? Parallel.virtualThreads(16) : Parallel.inOrder(), options, Journal.NONE)
                    .of(informers, election.leadership(), metrics);
            return new Engine(election,
                    shards.manager(context, controllers, election.leadership(), standby), shards, informers,
                    events, runner, grace);
        }
    }

    /** Starts all loops on the runner, except those of informers if the runner gives no threads. */
    public void start() {
        if (runner.givesThreads()) {
            informers.start(runner);
        }
        election.start(runner, manager::isReady);
        runner.startOnPlatformThread("event-broadcaster", events);
        runner.start("controller-manager", manager);
        shards.start();
    }

    /**
     * Returns after all threads have ended, or after the grace and some seconds. No sync begins any more. Running ones
     * have the grace to end, or two seconds if the lead is lost, and are interrupted then. The lead is released when
     * all have ended. If one does not even end by the interrupt, the lead is not released, and expires.
     *
     * @param afterControllers runs after the controllers have ended, while the caches still run
     */
    public void stop(Runnable afterControllers) {
        manager.close();
        Duration patience = election.leadership().isLeader() ? grace : GRACE;
        boolean ended = drainControllers(patience);
        boolean gaveBack = giveShardsBack(patience);
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
        if (!ended && left.isEmpty()) {
            election.release();
        }
        if (!gaveBack) {
            shards.end();
        }
        election.close();
    }

    /** @return whether all syncs have ended */
    private boolean drainControllers(Duration patience) {
        try {
            List<String> left = manager.drain(patience);
            if (!left.isEmpty()) {
                log.warn("the syncs of these controllers have not ended within {} s and are interrupted: {}",
                        patience.toSeconds(), left);
            }
            return left.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** @return whether the controllers of all shards have ended */
    private boolean giveShardsBack(Duration patience) {
        try {
            for (long left = patience.toMillis(); !shards.end(); left -= LOOK.toMillis()) {
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
