package dev.wheelhouse.controller;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;
import dev.wheelhouse.workqueue.WorkQueueMetrics;

/** The standard {@link ControllerContext}. Queues of object keys let namespaces take turns. Thread safe. */
public final class DefaultControllerContext implements ControllerContext {
    private final KubeClient client;
    private final Function<String, ? extends KubeClient> clients;
    private final SharedInformerFactory informers;
    private final Clock clock;
    private final Function<String, EventRecorder> events;
    private final Settings settings;
    private final Map<String, ConsistencyStore> consistency = new ConcurrentHashMap<>();

    /**
     * The settings of all controllers.
     *
     * @param workers the number of workers of a controller
     * @param parallel runs the writes of one batch; one after the other in a system that is stepped by hand
     * @param observes whether a controller plans and writes nothing; asked when it is made
     * @param mayWrite whether a controller may write; checked before each write, which fails if it is false
     * @param options the options of the built-in controllers
     * @param journal gets each write
     */
    public record Settings(Workers workers, Parallel parallel, Predicate<String> observes,
            Predicate<String> mayWrite, WorkQueueMetrics queueMetrics, ControllerMetrics controllerMetrics,
            ControllerOptions options, Journal journal) {
        /** Settings with the default options of the built-in controllers and without a journal. */
        public Settings(Workers workers, Parallel parallel, Predicate<String> observes, Predicate<String> mayWrite,
                WorkQueueMetrics queueMetrics, ControllerMetrics controllerMetrics) {
            this(workers, parallel, observes, mayWrite, queueMetrics, controllerMetrics, ControllerOptions.DEFAULTS,
                    Journal.NONE);
        }

        /** These settings with other options of the built-in controllers. */
        public Settings with(ControllerOptions others) {
            return new Settings(workers, parallel, observes, mayWrite, queueMetrics, controllerMetrics, others,
                    journal);
        }

        /** These settings with a journal. */
        public Settings with(Journal keeps) {
            return new Settings(workers, parallel, observes, mayWrite, queueMetrics, controllerMetrics, options,
                    keeps);
        }

        /** Five workers per controller, sixteen concurrent writes per batch, no metrics. */
        public static Settings defaults() {
            return new Settings((controller, preset) -> preset == null ? 5 : preset, Parallel.virtualThreads(16),
                    controller -> false, controller -> true, WorkQueueMetrics.NONE, ControllerMetrics.NONE);
        }

        /** One worker per controller and writes in order, for a system that one thread steps. */
        public static Settings stepped() {
            return new Settings((controller, preset) -> 1, Parallel.inOrder(), controller -> false,
                    controller -> true, WorkQueueMetrics.NONE, ControllerMetrics.NONE);
        }
    }

    /** Decides the number of a controller's workers. */
    @FunctionalInterface
    public interface Workers {
        /** @param preset the controller's own default; null if it has none */
        int of(String controller, @Nullable Integer preset);
    }

    /** @param events makes the recorder of a component, such as {@code EventBroadcaster::recorder} */
    public DefaultControllerContext(KubeClient client, SharedInformerFactory informers, Clock clock,
            Function<String, EventRecorder> events, Settings settings) {
        this(client, controller -> client, informers, clock, events, settings);
    }

    /** @param clients the client for the own requests of a controller */
    public DefaultControllerContext(KubeClient client, Function<String, ? extends KubeClient> clients,
            SharedInformerFactory informers, Clock clock, Function<String, EventRecorder> events, Settings settings) {
        this.client = client;
        this.clients = clients;
        this.informers = informers;
        this.clock = clock;
        this.events = events;
        this.settings = settings;
    }

    @Override
    public KubeClient client() {
        return client;
    }

    @Override
    public KubeClient client(String controller) {
        return clients.apply(controller);
    }

    @Override
    public SharedInformerFactory informers() {
        return informers;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public ActionExecutor executor(String controller, String eventSource) {
        return new ApiActionExecutor(controller, client(controller).sharing(), consistency(controller),
                events(eventSource), settings.parallel(), () -> mayWrite(controller), settings.controllerMetrics(),
                settings.journal());
    }

    @Override
    public ConsistencyStore consistency(String controller) {
        return consistency.computeIfAbsent(controller, name -> new ConsistencyStore(clock));
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits limits) {
        return new RateLimitingQueue<>(name, clock, limits, RateLimitingQueue.DEFAULT_AGING,
                TypedKey::namespaceOf, settings.queueMetrics());
    }

    @Override
    public EventRecorder events(String component) {
        return events.apply(component);
    }

    @Override
    public ControllerMetrics metrics() {
        return settings.controllerMetrics();
    }

    @Override
    public int workers(String controller, @Nullable Integer preset) {
        return settings.workers().of(controller, preset);
    }

    @Override
    public ControllerOptions options() {
        return settings.options();
    }

    @Override
    public boolean observes(String controller) {
        return settings.observes().test(controller);
    }

    @Override
    public boolean mayWrite(String controller) {
        return settings.mayWrite().test(controller);
    }
}
