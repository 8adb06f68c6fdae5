package dev.wheelhouse.controller;

import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimitingQueue;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The dependencies of one controller. A process makes a context without a name; {@link #of} makes those of its
 * controllers. Immutable; thread safe.
 */
public final class ControllerContext {
    private final String name;
    private final Shared shared;
    private final SharedInformerFactory informers;
    private final ControllerMetrics metrics;
    private final Queues queues;
    private final UnaryOperator<ActionExecutor> executors;
    private final ConsistencyStore consistency;

    /** The parts that are the same for all controllers of a process. */
    private record Shared(KubeClient client, Function<String, ? extends KubeClient> clients, Clock clock,
            Function<String, EventRecorder> events, Settings settings) {}

    /** Makes the queues of a controller. */
    public interface Queues {
        <K> WorkQueue<K> make(String name, RateLimits limits);
    }

    /** Decides the number of a controller's workers. */
    @FunctionalInterface
    public interface Workers {
        /** @param preset the controller's own default; null if it has none */
        int of(String controller, @Nullable Integer preset);
    }

    /**
     * The settings of all controllers.
     *
     * @param workers the number of workers of a controller
     * @param parallel runs the writes of one batch; one after the other in a system that is stepped by hand
     * @param observes whether a controller plans and writes nothing; asked when it is made
     * @param mayWrite whether a controller may write; checked before each write, which fails if it is false
     * @param metrics counts syncs and writes; its registry counts the keys of queues
     * @param options the options of the built-in controllers
     * @param journal gets each write
     */
    public record Settings(Workers workers, Parallel parallel, Predicate<String> observes,
            Predicate<String> mayWrite, ControllerMetrics metrics, Options options, Journal journal) {
        /** Settings with the default options of the built-in controllers and without a journal. */
        public Settings(Workers workers, Parallel parallel, Predicate<String> observes, Predicate<String> mayWrite,
                ControllerMetrics metrics) {
            this(workers, parallel, observes, mayWrite, metrics, Options.DEFAULTS, Journal.NONE);
        }

        /** One worker per controller and writes in order, for a system that one thread steps. */
        public static Settings stepped() {
            return new Settings((controller, preset) -> 1, Parallel.inOrder(), controller -> false,
                    controller -> true, ControllerMetrics.NONE);
        }
    }

    /** Queues whose keys let namespaces take turns. */
    private record FairQueues(Clock clock, MeterRegistry registry) implements Queues {
        @Override
        public <K> WorkQueue<K> make(String name, RateLimits limits) {
            return new RateLimitingQueue<>(name, clock, limits, RateLimitingQueue.DEFAULT_AGING, TypedKey::namespaceOf,
                    registry);
        }
    }

    /** @param events makes the recorder of a component, such as {@code EventBroadcaster::recorder} */
    public ControllerContext(KubeClient client, SharedInformerFactory informers, Clock clock,
            Function<String, EventRecorder> events, Settings settings) {
        this(client, controller -> client, informers, clock, events, settings);
    }

    /** @param clients the client for the own requests of a controller */
    public ControllerContext(KubeClient client, Function<String, ? extends KubeClient> clients,
            SharedInformerFactory informers, Clock clock, Function<String, EventRecorder> events, Settings settings) {
        this("", new Shared(client, clients, clock, events, settings), informers, settings.metrics(),
                new FairQueues(clock, settings.metrics().registry()), executor -> executor,
                new ConsistencyStore(clock));
    }

    private ControllerContext(String name, Shared shared, SharedInformerFactory informers,
            ControllerMetrics metrics, Queues queues, UnaryOperator<ActionExecutor> executors,
            ConsistencyStore consistency) {
        this.name = name;
        this.shared = shared;
        this.informers = informers;
        this.metrics = metrics;
        this.queues = queues;
        this.executors = executors;
        this.consistency = consistency;
    }

    /** The context of the controller with a name: this one, if it is that. */
    public ControllerContext of(String controller) {
        return controller.equals(name)
                ? this
                : new ControllerContext(controller, shared, informers, metrics, queues, executors,
                        new ConsistencyStore(clock()));
    }

    /** This context with other informers. */
    public ControllerContext with(SharedInformerFactory others) {
        return new ControllerContext(name, shared, others, metrics, queues, executors, consistency);
    }

    /** This context for the API server of another client: with the same guards, and a record of writes of its own. */
    public ControllerContext at(KubeClient other) {
        return new ControllerContext(name,
                new Shared(other, controller -> other, shared.clock, shared.events, shared.settings), informers,
                metrics, queues, executors, new ConsistencyStore(clock()));
    }

    /** This context with queues that are made otherwise. */
    public ControllerContext with(Queues others) {
        return new ControllerContext(name, shared, informers, metrics, others, executors, consistency);
    }

    /** This context with an executor around its own, such as one that makes other writes in a test. */
    public ControllerContext withExecutor(UnaryOperator<ActionExecutor> around) {
        return new ControllerContext(name, shared, informers, metrics, queues,
                executor -> around.apply(executors.apply(executor)), consistency);
    }

    /** The controller's name; empty in the context of a process. */
    public String name() {
        return name;
    }

    /** The client for the controller's own requests; in the context of a process, its client. */
    public KubeClient client() {
        return name.isEmpty() ? shared.client : shared.clients.apply(name);
    }

    public SharedInformerFactory informers() {
        return informers;
    }

    public Clock clock() {
        return shared.clock;
    }

    /**
     * The executor for the controller's writes.
     *
     * @param eventSource the component in the Events
     */
    public ActionExecutor executor(String eventSource) {
        return executors.apply(new ApiActionExecutor(name, client().sharing(), consistency, events(eventSource),
                shared.settings.parallel(), this::mayWrite, metrics, shared.settings.journal()));
    }

    /** A new work queue with upstream's rate limits: 5 ms to 1000 s per key, 10 retries a second per namespace. */
    public <K> WorkQueue<K> queue(String queueName) {
        return queue(queueName, RateLimits.CONTROLLER);
    }

    /** A new work queue. The limit per second is one for each namespace. */
    public <K> WorkQueue<K> queue(String queueName, RateLimits limits) {
        return queues.make(queueName, limits);
    }

    /**
     * The number of workers.
     *
     * @param preset the number if the options name none for this controller; null for that of all controllers
     */
    public int workers(@Nullable Integer preset) {
        return shared.settings.workers().of(name, preset);
    }

    /** The options of the built-in controllers. */
    public Options options() {
        return shared.settings.options();
    }

    /** Whether a controller that is made now only plans and writes nothing. */
    public boolean observes() {
        return shared.settings.observes().test(name);
    }

    /** Whether the controller may write at this moment: this process leads, and the controller does not observe. */
    public boolean mayWrite() {
        return shared.settings.mayWrite().test(name);
    }

    /** The record of the controller's writes that the caches do not show yet. */
    public ConsistencyStore consistency() {
        return consistency;
    }

    /** A recorder for Events that do not go through an executor. */
    public EventRecorder events(String component) {
        return shared.events.apply(component);
    }

    /** The metrics of the controller. */
    public ControllerMetrics metrics() {
        return metrics;
    }
}
