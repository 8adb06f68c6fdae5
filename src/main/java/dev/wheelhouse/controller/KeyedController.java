package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.RunRates;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * The base of controllers that sync by key. It has a queue and its workers, and delays a key while the caches are older
 * than the key's own last writes. A subclass gets its caches from {@link #informerFor}, says by {@link #watch} which
 * change adds which keys to {@link #queue}, and implements {@link #sync}. The caller of its constructor runs the loops.
 * A controller that only observes syncs, too, on runs that record.
 *
 * @param <K> the keys, which logs, the journal and the console show in words
 */
public abstract class KeyedController<K> implements Controller {
    private static final Logger log = LoggerFactory.getLogger(KeyedController.class);

    private static final Duration WORTH_A_WARNING = Duration.ofSeconds(30);
    private final String name;
    private final @Nullable Integer presetWorkers;
    private final ControllerContext context;
    private final ConsistencyStore consistency;
    private final ForbiddenWrites<K> forbidden;
    private final @Nullable ObservedPlans observed;
    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
    private final List<Loop> workers = new ArrayList<>();
    private final List<WorkQueue<?>> furtherQueues = new ArrayList<>();
    private final List<Loop> furtherLoops = new ArrayList<>();
    private final ActionExecutor executor;
    private @Nullable RunRates<K> rates;

    protected final WorkQueue<K> queue;
    protected final Clock clock;

    /** @param name the name in upstream's kube-controller-manager, such as {@code replicaset-controller} */
    protected KeyedController(String name, ControllerContext context) {
        this(name, name, context);
    }

    /** @param eventSource the component in its Events, if upstream's differs from the controller's name */
    protected KeyedController(String name, String eventSource, ControllerContext context) {
        this(name, eventSource, context, RateLimits.CONTROLLER, null);
    }

    /** @param workers the number of workers if the options name none for this controller; null for that of all */
    protected KeyedController(String name, String eventSource, ControllerContext context, RateLimits limits,
            @Nullable Integer workers) {
        this.name = name;
        this.presetWorkers = workers;
        this.context = context.of(name);
        this.consistency = this.context.consistency();
        this.queue = context.queue(name, limits);
        consistency.whenListed(this::syncAgain);
        this.executor = this.context.executor(eventSource);
        this.clock = context.clock();
        this.observed = this.context.observes()
                ? new ObservedPlans(name, context.metrics(), clock, this::objects)
                : null;
        if (observed != null) {
            furtherLoops.add(observed);
        }
        this.forbidden = new ForbiddenWrites<>(name, queue);
    }

    @SuppressWarnings("unchecked") // All other owners are keys of this controller.
    private void syncAgain(Object owner) {
        if (!(owner instanceof FurtherKey)) {
            queue.add((K) owner);
        }
    }

    /**
     * Limits how often keys are synced: each key, and all keys together; null for no limit. For the constructor of a
     * subclass.
     */
    protected final void limitSyncs(RunRates.@Nullable Rate each, RunRates.@Nullable Rate together) {
        rates = each == null && together == null ? null : new RunRates<>(each, together, clock);
    }

    /**
     * Shortens the wait of owners whose last writes the API server forbade: they are synced as soon as a quota or a
     * similar limit may allow the writes. Otherwise they wait for up to a minute. For the constructor of a subclass.
     */
    protected final void retryWhenAllowed() {
        forbidden.register(context.informers());
    }

    /**
     * The shared informer of a type. The controller starts after this informer has synced. A key that wrote objects of
     * the type is synced again only after the informer's cache shows these writes.
     */
    protected final <T extends KubernetesObject> SharedIndexInformer<T> informerFor(ResourceType type, Class<T> model) {
        SharedIndexInformer<T> informer = context.informers().informer(type, model);
        follow(informer);
        return informer;
    }

    /**
     * The same for an informer that was made with limits. Of several informers of one type, writes wait for the last.
     */
    protected final void follow(SharedIndexInformer<? extends KubernetesObject> informer) {
        informers.add(informer);
        consistency.register(informer.type(), informer);
    }

    /** Begins a handler that adds keys to {@link #queue}. */
    protected final <T extends KubernetesObject> Watch<T, K> watch(SharedIndexInformer<T> informer) {
        return watch(informer, queue);
    }

    /** Begins a handler that adds keys to a further queue. */
    protected final <T extends KubernetesObject, F> Watch<T, F> watch(SharedIndexInformer<T> informer,
            WorkQueue<F> queue) {
        return new Watch<>(name, informer, queue);
    }

    /** The metrics that handlers count in. A controller that only observes counts nothing. */
    protected final ControllerMetrics metrics() {
        return observed == null ? context.metrics() : ControllerMetrics.NONE;
    }

    /** The recorder for the Events of handlers. A controller that only observes records none. */
    protected final EventRecorder events(String component) {
        return observed == null ? context.events(component) : EventRecorder.NONE;
    }

    /**
     * Brings the object of one key to its desired state. Only one worker at a time calls it for a key, and only while
     * the caches are as new as the key's last writes. A {@link #plan} calls it at any time on another thread, on a run
     * that records: so the sync changes nothing but by its run.
     */
    protected abstract Result sync(K key, SyncRun run) throws InterruptedException;

    /**
     * The key whose sync writes an object; null if the controller ignores the object, which it does by default. A sync
     * of another key than the object's own shows only the actions for that object.
     */
    protected @Nullable K keyOf(String groupResource, ObjectKey object) {
        return null;
    }

    @Override
    public boolean plans() {
        return true;
    }

    @Override
    public final Optional<List<Action>> plan(String groupResource, ObjectKey object) {
        K key = keyOf(groupResource, object);
        if (key == null) {
            return Optional.empty();
        }
        List<Action> all = plan(key);
        return Optional.of(isOwn(key, object)
                ? all
                : all.stream().flatMap(action -> about(action, groupResource, object)).toList());
    }

    /** Whether the key's sync is about this object alone, so that a plan for the object shows all its actions. */
    protected boolean isOwn(K key, ObjectKey object) {
        return object.equals(TypedKey.objectOf(key));
    }

    /**
     * The actions that a sync of a key would take now, if every write succeeded. See
     * {@link Controller#plan(String, ObjectKey)}.
     */
    public final List<Action> plan(K key) {
        RecordingRun run = new RecordingRun(false);
        try {
            Result result = sync(key, run);
            List<Action> actions = new ArrayList<>(run.recorded());
            switch (result) {
                case Result.Terminal terminal -> throw new IllegalArgumentException(terminal.reason());
                case Result.Retry retry when actions.isEmpty() ->
                    throw retry.cause() instanceof RuntimeException failure
                            ? failure
                            : new IllegalStateException("the plan of " + name + " for " + key + " failed: "
                                    + retry.cause(), retry.cause());
                case Result.RequeueAfter after when actions.stream().noneMatch(Action.RequeueAfter.class::isInstance) ->
                    actions.add(new Action.RequeueAfter(after.delay()));
                default -> {
                    // The actions say it all.
                }
            }
            return actions;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the plan of " + name + " for " + key + " was interrupted");
        }
    }

    private static Stream<Action> about(Action action, String groupResource, ObjectKey object) {
        return switch (action) {
            case Action.Batch batch ->
                batch.writes().stream().flatMap(write -> about(write, groupResource, object));
            case Action.Write write when write.target().equals(object)
                    && write.type().groupResource().equals(groupResource) ->
                Stream.of(write);
            case Action.Event event when ObjectKey.of(event.regarding()).equals(object)
                    && event.regardingType().groupResource().equals(groupResource) ->
                Stream.of(event);
            default -> Stream.empty();
        };
    }

    /** The number of cached objects of the type that this controller syncs. */
    private int objects() {
        return informers.stream().filter(informer -> informer.type().equals(syncs()))
                .mapToInt(informer -> informer.getIndexer().size()).sum();
    }

    @Override
    public final List<String> differences() {
        return observed == null ? List.of() : observed.differences();
    }

    @Override
    public final int heldBack() {
        return rates == null ? 0 : rates.waiting();
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<SharedIndexInformer<?>> informers() {
        return List.copyOf(informers);
    }

    /** Adds a loop that runs as long as the workers. For the constructor of a subclass, as the next ones. */
    protected final void addLoop(Loop loop) {
        furtherLoops.add(loop);
    }

    /**
     * Adds a queue whose keys are synced like those of the controller's own queue, by as many workers. It is shut down
     * and drained after that one.
     */
    protected final WorkQueue<K> addQueue(String queueName, RateLimits limits) {
        WorkQueue<K> further = context.queue(queueName, limits);
        furtherQueues.add(further);
        furtherLoops.addAll(workersOf(further));
        return further;
    }

    private List<Loop> workersOf(WorkQueue<K> served) {
        OutageBackoff<K> outage = new OutageBackoff<>(served, clock);
        List<Loop> loops = new ArrayList<>();
        for (int i = 0; i < context.workers(presetWorkers); i++) {
            loops.add(new Worker<>(name, served, outage, this::delay, this::syncOnce, clock, context.metrics()));
        }
        return loops;
    }

    /** A sync, such as that of the keys of a further queue. */
    @FunctionalInterface
    protected interface KeySync<F> {
        Result sync(F key, SyncRun run) throws InterruptedException;
    }

    /** Adds a queue of other keys with one worker. Their syncs do not wait for caches. */
    protected final <F> WorkQueue<F> addQueue(String queueName, KeySync<F> sync) {
        return addQueue(name, queueName, RateLimits.CONTROLLER, 1, sync);
    }

    /** The same with as many workers as the controller's own queue has. They go by the queue's name in logs. */
    protected final <F> WorkQueue<F> addQueue(String queueName, RateLimits limits, KeySync<F> sync) {
        return addQueue(queueName, queueName, limits, context.workers(presetWorkers), sync);
    }

    private <F> WorkQueue<F> addQueue(String logged, String queueName, RateLimits limits, int count, KeySync<F> sync) {
        WorkQueue<F> further = context.queue(queueName, limits);
        Reconciler<F> reconciler = key -> {
            FurtherKey owner = new FurtherKey(queueName, key);
            try {
                return run(owner, key, sync, () -> further.forget(key));
            } finally {
                consistency.forget(owner);
            }
        };
        furtherQueues.add(further);
        Worker<F> worker = new Worker<>(logged, further, new OutageBackoff<>(further, clock), reconciler, clock,
                context.metrics());
        for (int i = 0; i < count; i++) {
            furtherLoops.add(i == 0 ? worker : worker.another());
        }
        return further;
    }

    /** The owner of the writes for a key of a further queue. */
    private record FurtherKey(String queue, Object key) {
        @Override
        public String toString() {
            return key.toString();
        }
    }

    @Override
    public List<Loop> loops() {
        if (workers.isEmpty()) {
            workers.addAll(workersOf(queue));
        }
        return Stream.concat(workers.stream(), furtherLoops.stream()).toList();
    }

    @Override
    public void close() {
        queue.shutDown();
        workers.forEach(Loop::close);
        furtherQueues.forEach(WorkQueue::shutDown);
        furtherLoops.forEach(Loop::close);
    }

    @Override
    public boolean drain(Duration within) throws InterruptedException {
        long deadline = clock.deadline(within);
        boolean idle = queue.awaitIdle(within);
        for (WorkQueue<?> further : furtherQueues) {
            idle = idle && further.awaitIdle(clock.until(deadline));
        }
        return idle;
    }

    private Result syncOnce(K key) throws InterruptedException {
        Result result = run(key, key, this::sync, () -> {
            forbidden.forget(key);
            queue.forget(key);
        });
        forbidden.ended(key, result);
        return result;
    }

    private <F> Result run(Object owner, F key, KeySync<F> sync, Runnable forget) throws InterruptedException {
        if (observed == null) {
            return sync.sync(key, new WritingRun(owner, forget));
        }
        RecordingRun run = new RecordingRun(true);
        Result result = Result.done();
        try {
            result = sync.sync(key, run);
            return result;
        } finally {
            observed.planned(owner, run, result);
        }
    }

    /** A run that writes. */
    private final class WritingRun implements SyncRun {
        private final Object owner;
        private final Runnable forget;

        /** @param forget drops what is recorded about the key beside its writes */
        WritingRun(Object owner, Runnable forget) {
            this.owner = owner;
            this.forget = forget;
        }

        @Override
        public ActionExecutor.Outcome execute(List<Action> actions) {
            return executor.execute(owner, actions);
        }

        @Override
        public void effect(Runnable effect) {
            effect.run();
        }

        @Override
        public void note(Runnable memory) {
            memory.run();
        }

        @Override
        public void count(Measure measure, double value, String... labels) {
            context.metrics().record(measure, value, labels);
        }

        @Override
        public void forget() {
            consistency.forget(owner);
            forget.run();
        }

        @Override
        public boolean writes() {
            return true;
        }
    }

    private Duration delay(K key) {
        for (ResourceType type : consistency.unsettled(key)) {
            settle(key, type);
        }
        ConsistencyStore.Behind behind = consistency.check(key);
        if (behind == null) {
            Duration wait = rates == null ? Duration.ZERO : rates.delay(key);
            if (!wait.isZero()) {
                context.metrics().delayed(name, "rate");
            }
            return wait;
        }
        context.metrics().delayed(name, "cache");
        Measure staleSyncs = staleSyncs();
        if (staleSyncs != null) {
            context.metrics().record(staleSyncs, 1, behind.type().group(), behind.type().plural());
        }
        if (behind.since().compareTo(WORTH_A_WARNING) > 0) {
            log.warn("{}: {} has waited {} s for the cache of {} to reach version {} (it is at {}): its informer "
                    + "may be stuck", name, key, behind.since().toSeconds(), behind.type(), behind.wrote(),
                    behind.seen());
        }
        return behind.retryAfter();
    }

    /** The {@link Measure#staleSyncs} of upstream's controller; null if it has none. */
    protected @Nullable Measure staleSyncs() {
        return null;
    }

    /**
     * The selector of the objects of a type that belong to a key, among which a write of unknown outcome is searched.
     * Null means all objects in the key's namespace.
     */
    protected @Nullable V1LabelSelector selects(K key, ResourceType type) {
        return null;
    }

    private LabelSelector selected(K key, ResourceType type) {
        V1LabelSelector selector = selects(key, type);
        try {
            return selector == null ? LabelSelector.everything() : LabelSelector.of(selector);
        } catch (IllegalArgumentException invalid) {
            return LabelSelector.everything();
        }
    }

    /**
     * Settles a write of unknown outcome by a consistent read. A create or update that took effect is not newer than
     * the newest object in the read. A deletion leaves no version: an object that the cache shows and the read does not
     * must leave the cache first.
     */
    private void settle(K key, ResourceType type) {
        ResourceClient<PartialObjectMetadata> client = context.client().metadata(type);
        LabelSelector labels = selected(key, type);
        String namespace = type.namespaced() ? TypedKey.namespaceOf(key) : "";
        if (informers.stream().noneMatch(each -> each.type().equals(type) && each.of(namespace) != null)) {
            consistency.settled(key, type, null);
            return;
        }
        Map<String, String> versions = new HashMap<>();
        String asOf = Pages.read(client, namespace, labels, page -> page.items().forEach(object -> versions.put(
                String.valueOf(object.getMetadata().getUid()), object.getMetadata().getResourceVersion())));
        String newest = versions.values().stream().reduce((a, b) -> ResourceVersions.atLeast(b, a) ? b : a)
                .orElse(null);
        for (V1ObjectMeta cached : cached(type, namespace)) {
            if (!versions.containsKey(String.valueOf(cached.getUid())) && labels.matches(cached.getLabels())
                    && ResourceVersions.atLeast(asOf, cached.getResourceVersion())) {
                consistency.goneAt(key, type, ObjectKey.of(cached.getNamespace(), cached.getName()),
                        cached.getResourceVersion());
            }
        }
        consistency.settled(key, type, newest);
        log.info("{}: a write of {} for {} got no response; the next sync waits until the cache reaches version {}",
                name, type, key, newest == null ? "(none: there are no such objects)" : newest);
    }

    private List<V1ObjectMeta> cached(ResourceType type, String namespace) {
        return informers.stream().filter(informer -> informer.type().equals(type))
                .flatMap(informer -> informer.getIndexer().list(namespace).stream())
                .map(object -> ((KubernetesObject) object).getMetadata()).toList();
    }
}
