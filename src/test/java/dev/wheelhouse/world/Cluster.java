package dev.wheelhouse.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Binding;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.ScopedInformers;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedSystem;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The world of a test on one thread: an API server in this process, a client whose {@link Requests} are recorded and
 * may fail, informers that see a change only when the test delivers it, and a clock that only the test moves.
 *
 * <p>The code under test uses {@link #client()}, {@link #informers()} or {@link #context()}. The other methods act as
 * another user of the server: their requests are neither recorded nor failed. Not thread safe.
 */
public final class Cluster extends SteppedSystem {
    private static final int ENDLESS = 100_000;

    /** The requests of {@link #client()}. */
    public final Requests requests;
    /** The Events that controllers reported, such as {@code "Warning FailedCreate Error creating: …"}. */
    public final List<Event> events = new ArrayList<>();
    /**
     * The controllers' metrics that are upstream's too, by their names and labels, {@code name{a,b}}: the last value of
     * a gauge, the sum of all values of others.
     */
    public final Map<String, Double> measures = new TreeMap<>();
    /** The writes of the controllers of {@link #context()}, with their causes. */
    public final Journal journal = new Journal(clock, Journal.DEFAULT_BYTES);
    private final Set<ResourceType> withheld = new HashSet<>();
    private Duration minResync = Duration.ZERO;
    private InformerFactory informers = newInformers();

    /** An Event, as a controller hands it to its recorder. */
    public record Event(String component, ResourceType type, KubernetesObject object, String level, String reason,
            String message) {
        @Override
        public String toString() {
            return level + " " + reason + " " + message;
        }
    }

    /** @param types the types that discovery names to the code under test; none for all that the server has */
    public Cluster(ResourceType... types) {
        this(new Requests(types));
    }

    private Cluster(Requests requests) {
        super(requests, 1, null, ApiServerOptions.defaults().withRandom(new SplittableRandom(1))
                .withRuntimeConfig(RuntimeConfig.parse(String.join(",", RuntimeConfig.RESOURCE_METRICS,
                        RuntimeConfig.CUSTOM_METRICS, RuntimeConfig.EXTERNAL_METRICS))));
        this.requests = requests;
    }

    // ---- the code under test

    /** The informers of the code under test. They list and watch by a client of their own. */
    public InformerFactory informers() {
        return informers;
    }

    /** Replaces all informers by empty ones, as a new process has. */
    public void forgetCaches() {
        informers.close();
        informers = newInformers();
    }

    /** Replaces all informers by empty ones whose handlers see all objects again after once to twice this time. */
    public void resyncAfter(Duration least) {
        minResync = least;
        forgetCaches();
    }

    private InformerFactory newInformers() {
        return new InformerFactory(new InterceptedClient(server.client("informers"), new Withholding()), clock,
                Meters.NONE, InformerOptions.builder().batch(1).seed(1).minResync(minResync).build());
    }

    /** A context for controllers that one thread steps. As in a process, a controller's informers are its own view. */
    public ControllerContext context() {
        return context(Options.DEFAULTS);
    }

    /** A context with options of the built-in controllers. */
    public ControllerContext context(Options options) {
        ControllerContext.Settings stepped = ControllerContext.Settings.stepped();
        return context(new ControllerContext.Settings(stepped.workers(), stepped.parallel(),
                stepped.observes(), stepped.mayWrite(), new ControllerMetrics(Meters.NONE) {
                    @Override
                    public void record(Measure measure, double value, String... labels) {
                        assertThat(labels).hasSameSizeAs(measure.labels());
                        measures.merge(name(measure, labels), value,
                                measure.kind() == Measure.Kind.GAUGE ? (before, now) -> now : Double::sum);
                    }

                    @Override
                    public void remove(Measure gauge, String... labels) {
                        measures.remove(name(gauge, labels));
                    }

                    private String name(Measure measure, String... labels) {
                        return measure.name() + "{" + String.join(",", labels) + "}";
                    }
                }, options, journal));
    }

    public ControllerContext context(ControllerContext.Settings settings) {
        return new ControllerContext(client(), informers, clock, this::recorder, settings)
                .with(new ScopedInformers(informers, new ScopedInformers.Sharing(), true, true));
    }

    /** A recorder that adds to {@link #events}. */
    public EventRecorder recorder(String component) {
        return (type, object, fieldPath, level, reason, message) -> events
                .add(new Event(component, type, object, level, reason, message));
    }

    /** The {@link #events} as text. */
    public List<String> eventTexts() {
        return events.stream().map(Event::toString).toList();
    }

    // ---- steps

    /** From now on, informers of this type get nothing, and their lists are forbidden. */
    public void withhold(ResourceType type) {
        withheld.add(type);
    }

    /** Ends the effect of {@link #withhold}. */
    public void release(ResourceType type) {
        withheld.remove(type);
    }

    /**
     * Brings all caches and handlers up to date.
     * @return whether any of the informers' loops had work
     */
    @CanIgnoreReturnValue
    public boolean deliver() {
        boolean any = false;
        for (int i = 0; deliverOne(); i++) {
            any = true;
            check(i);
        }
        return any;
    }

    /**
     * Steps each of the informers' loops once, so that a synced cache takes over one change.
     * @return whether any of them had work
     */
    @CanIgnoreReturnValue
    public boolean deliverOne() {
        return stepOnce(informers.loops());
    }

    /** Steps loops until none has work at the current time, without delivering changes. */
    public static void work(Collection<Loop> loops) {
        for (int i = 0; stepOnce(loops); i++) {
            check(i);
        }
    }

    /** Delivers changes and steps loops until none has work at the current time. */
    public void settle(Collection<Loop> loops) {
        settle(loops, Duration.ZERO);
    }

    /**
     * Delivers changes and steps loops until nothing is left to do.
     * @param patience moves the clock for work that becomes due within this time
     */
    public void settle(Collection<Loop> loops, Duration patience) {
        for (int i = 0;; i++) {
            check(i);
            deliver();
            long wait = loops.stream().mapToLong(Cluster::step).min().orElse(Loop.IDLE);
            if (wait > patience.toNanos()) {
                return;
            }
            clock.advance(Duration.ofNanos(wait));
        }
    }

    private static boolean stepOnce(Collection<Loop> loops) {
        boolean busy = false;
        for (Loop loop : List.copyOf(loops)) {
            busy |= step(loop) == Loop.BUSY;
        }
        return busy;
    }

    /** {@link Loop#step()} of a loop that does not wait. */
    @CanIgnoreReturnValue
    public static long step(Loop loop) {
        try {
            return loop.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void check(int rounds) {
        if (rounds > ENDLESS) {
            throw new AssertionError("it does not come to rest");
        }
    }

    // ---- what others do

    /** Creates an object from YAML, with its status. */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T create(ResourceType type, Class<T> model, String yaml, Object... values) {
        return create(type, Yaml.read(yaml.formatted(values), model));
    }

    /** Creates an object, with its status. A node is ready at once: the server's taint of new nodes is taken away. */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T create(ResourceType type, T object) {
        T created = user().resource(type, modelOf(object)).create(object);
        if (created instanceof V1Node node && object instanceof V1Node given) {
            Objects.requireNonNull(node.getSpec())
                    .setTaints(given.getSpec() == null ? null : given.getSpec().getTaints());
            created = user().resource(type, modelOf(object)).update(created);
        }
        JsonNode status = tree(object).get("status");
        return status == null ? created : withStatus(type, created, status);
    }

    @SuppressWarnings("unchecked")
    private static <T> Class<T> modelOf(T object) {
        return (Class<T>) object.getClass();
    }

    private static ObjectNode tree(KubernetesObject object) {
        return (ObjectNode) ModelJson.tree(object);
    }

    private <T extends KubernetesObject> T withStatus(ResourceType type, T object, @Nullable JsonNode status) {
        ObjectNode tree = tree(object);
        tree.set("status", status);
        return user().resource(type, modelOf(object)).updateStatus(ModelJson.read(tree, modelOf(object)));
    }

    /**
     * Stores an object without admission and validation, as an earlier version of the server could have, or a request
     * that raced another one.
     */
    public void store(ResourceType type, KubernetesObject object) {
        ObjectNode stored = tree(object).put("apiVersion", type.apiVersion()).put("kind", type.kind());
        ObjectNode meta = stored.withObject("/metadata");
        meta.put("uid", "stored-" + meta.path("name").asString()).put("creationTimestamp", clock.now().toString());
        meta.put("generation", 1);
        server.store().create(type.groupResource(), stored);
    }

    /** Changes an object: its metadata and spec, its status, and the node of a pod, each by the request for it. */
    @CanIgnoreReturnValue
    public <T extends KubernetesObject> T edit(ResourceType type, Class<T> model, ObjectKey key,
            Consumer<T> change) {
        T stored = read(type, key, model);
        ObjectNode before = tree(stored);
        change.accept(stored);
        ObjectNode after = tree(stored);
        if (before.at("/spec/nodeName").isMissingNode() && after.at("/spec/nodeName").isString()) {
            bind(key, after.at("/spec/nodeName").asString());
            return edit(type, model, key, change);
        }
        JsonNode status = after.remove("status");
        boolean statusChanged = !Objects.equals(before.remove("status"), status);
        T changed = before.equals(after) ? stored : user().resource(type, model).update(stored);
        return statusChanged ? withStatus(type, changed, status) : changed;
    }

    /** Binds a pod to a node, as a scheduler does. */
    public void bind(ObjectKey pod, String node) {
        user().metadata(ResourceType.PODS).createSubresource(pod, "binding",
                new V1Binding().metadata(new V1ObjectMeta().name(pod.name()))
                        .target(new V1ObjectReference().kind("Node").name(node)));
    }

    /** Defines a custom resource whose objects may have any fields. */
    public void define(ResourceType type) {
        create(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, Unstructured.class, """
                {metadata: {name: %1$s.%2$s}, spec: {group: %2$s, scope: %3$s, names: {plural: %1$s, kind: %4$s},
                 versions: [{name: %5$s, served: true, storage: true, schema: {openAPIV3Schema: {type: object,
                  x-kubernetes-preserve-unknown-fields: true}}}]}}""", type.plural(), type.group(),
                type.namespaced() ? "Namespaced" : "Cluster", type.kind(), type.version());
    }

    /** Ends the definition of a custom resource, with all its objects. */
    public void undefine(ResourceType type) {
        remove(ResourceType.CUSTOM_RESOURCE_DEFINITIONS, ObjectKey.cluster(type.plural() + "." + type.group()));
    }

    public void delete(ResourceType type, ObjectKey key) {
        delete(type, key, Deletion.unconditional());
    }

    public void delete(ResourceType type, ObjectKey key, Deletion deletion) {
        user().metadata(type).delete(key, deletion);
    }

    /** Removes an object at once, even if it has finalizers or a grace period. */
    public void remove(ResourceType type, ObjectKey key) {
        if (!json(type, key).at("/metadata/finalizers").isEmpty()) {
            user().metadata(type).patch(key, "", PatchType.MERGE, "{\"metadata\": {\"finalizers\": null}}");
        }
        if (exists(type, key)) {
            delete(type, key, new Deletion(0L, null, null, "Background"));
        }
    }

    // ---- what the server has

    public boolean exists(ResourceType type, ObjectKey key) {
        return server.store().get(type.groupResource(), key.namespace(), key.name()) != null;
    }

    public <T extends KubernetesObject> T read(ResourceType type, ObjectKey key, Class<T> model) {
        return user().resource(type, model).get(key);
    }

    /** All objects of a type in the order of their keys. */
    public <T extends KubernetesObject> List<T> all(ResourceType type, Class<T> model) {
        return user().resource(type, model).list("", LabelSelector.everything(), FieldSelector.everything(),
                ListOptions.consistent(0)).items();
    }

    public JsonNode json(ResourceType type, ObjectKey key) {
        return ModelJson.tree(read(type, key, Unstructured.class));
    }

    /** The version of the newest change. */
    public String version() {
        return Long.toString(server.store().version());
    }

    @Override
    public void close() {
        informers.close();
        super.close();
    }

    /** Lets informers of withheld types get nothing. */
    private final class Withholding implements Interceptor {
        @Override
        public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options,
                Supplier<ListPage<T>> call) {
            refuse("list", type);
            return call.get();
        }

        @Override
        public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
            refuse("watch", type);
            return new ForwardingWatchStream<>(call.get()) {
                @Override
                public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
                    return withheld.contains(type) ? null : super.next(maxWait);
                }
            };
        }

        private void refuse(String verb, ResourceType type) {
            if (withheld.contains(type)) {
                throw new KubeApiException(verb + " " + type, 403, "Forbidden", "withheld by the test", null);
            }
        }
    }
}
