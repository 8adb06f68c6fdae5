package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Makes and shares the informers of one client. In production {@link #start} gives every loop a thread. A test or a
 * simulation does not call it, but steps the {@link #loops()}. Thread safe.
 */
public final class InformerFactory implements SharedInformerFactory, AutoCloseable {
    private final KubeClient client;
    private final Clock clock;
    private final MeterRegistry registry;
    private final InformerOptions options;
    /** The part of the namespaces that the informers hold; null for all. */
    private final @Nullable ShardSelector shard;
    private final Map<Key, CachingInformer<?>> informers = new LinkedHashMap<>();
    private final List<CachingInformer<?>> unshared = new ArrayList<>();
    private volatile @Nullable LoopRunner startedOn;
    private boolean closed;

    /**
     * The identity of a shared informer. Selectors compare by their requirements, not by their text, because the
     * selectors "nothing" and "everything" have the same text.
     */
    private record Key(ResourceType type, Class<?> model, String namespace, LabelSelector labels,
            FieldSelector fields) {
        /** Whether the informer has whole objects, and all of this type. */
        boolean isWhole(ResourceType of) {
            return type.equals(of) && namespace.isEmpty() && labels.isEverything() && fields.isEverything()
                    && model != PartialObjectMetadata.class;
        }
    }

    /** @param registry counts what the informers read and hold, and how long their handlers take */
    public InformerFactory(KubeClient client, Clock clock, MeterRegistry registry, InformerOptions options) {
        this(client, clock, registry, options, null);
    }

    private InformerFactory(KubeClient client, Clock clock, MeterRegistry registry, InformerOptions options,
            @Nullable ShardSelector shard) {
        this.client = client;
        this.clock = clock;
        this.registry = registry;
        this.options = options;
        this.shard = shard;
    }

    /** A factory with default options and no metrics. */
    public InformerFactory(KubeClient client, Clock clock) {
        this(client, clock, Meters.NONE, InformerOptions.defaults());
    }

    /** A factory like this one, with informers of its own that hold a part of the namespaced objects. */
    InformerFactory of(ShardSelector part) {
        return new InformerFactory(client, clock, registry, options, part);
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            String namespace, LabelSelector labels, FieldSelector fields) {
        return shared(type, model, namespace, labels, fields);
    }

    private synchronized <T extends KubernetesObject> CachingInformer<T> shared(ResourceType type, Class<T> model,
            String namespace, LabelSelector labels, FieldSelector fields) {
        requireOpen(type);
        Key key = new Key(type, model, namespace, labels, fields);
        // The key contains the model class, so the cast is safe.
        @SuppressWarnings("unchecked")
        CachingInformer<T> known = (CachingInformer<T>) informers.get(key);
        if (known != null) {
            return known;
        }
        CachingInformer<T> made = make(resource(type, model).listerWatcher(namespace, labels, fields), model);
        informers.put(key, made);
        return made;
    }

    @SuppressWarnings("unchecked") // A client of metadata, for the class of metadata.
    private <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return model == (Class<?>) PartialObjectMetadata.class
                ? (ResourceClient<T>) client.metadata(type)
                : client.resource(type, model);
    }

    private void requireOpen(ResourceType type) {
        if (closed) {
            throw new IllegalStateException("cannot make an informer of " + type + ": the factory was closed");
        }
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            Set<String> namespaces, LabelSelector labels, FieldSelector fields) {
        if (namespaces.isEmpty() || namespaces.contains("") || !type.namespaced()) {
            throw new IllegalArgumentException("cannot make an informer of " + type + " in the namespaces " + namespaces
                    + ": give at least one name, of a namespaced type; for all, use the method with one empty name");
        }
        Map<String, CachingInformer<T>> members = new TreeMap<>();
        for (String namespace : namespaces) {
            members.put(namespace, shared(type, model, namespace, labels, fields));
        }
        return new NamespacesInformer<>(type, members);
    }

    @Override
    public synchronized SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type) {
        for (Map.Entry<Key, CachingInformer<?>> known : informers.entrySet()) {
            Key key = known.getKey();
            if (key.isWhole(type) && !known.getValue().isTransformed()) {
                return known.getValue();
            }
        }
        return metadata(type);
    }

    /**
     * Makes an informer of any source. No other caller gets this informer. {@link #start(LoopRunner)} starts it
     * together with the shared ones, unless {@link #start(SharedIndexInformer, LoopRunner)} started it before.
     *
     * @throws IllegalStateException if the factory is closed
     */
    public synchronized <T extends KubernetesObject> SharedIndexInformer<T> unshared(ListerWatcher<T> source,
            Class<T> model) {
        requireOpen(source.type());
        CachingInformer<T> made = make(source, model);
        unshared.add(made);
        return made;
    }

    /** Starts one informer that this factory made. Further starts of it do nothing. */
    public void start(SharedIndexInformer<?> informer, LoopRunner runner) {
        all().stream().filter(candidate -> candidate == informer).forEach(known -> known.start(runner));
    }

    private <T extends KubernetesObject> CachingInformer<T> make(ListerWatcher<T> source, Class<T> model) {
        return new CachingInformer<>(shard == null ? source : new ShardedSource<>(source, shard), model, options, clock,
                registry);
    }

    /**
     * Starts all informers, and lets {@link #startNew} start those that are made later. Only the owner of the factory
     * calls it, once.
     *
     * @param runner runs the loops; the owner closes it after this factory
     */
    public void start(LoopRunner runner) {
        startedOn = runner;
        all().forEach(informer -> informer.start(runner));
    }

    /** The runner of the loops; empty before {@link #start(LoopRunner)}. */
    Optional<LoopRunner> startedOn() {
        return Optional.ofNullable(startedOn);
    }

    @Override
    public void startNew() {
        LoopRunner runner = startedOn;
        if (runner != null) {
            start(runner);
        }
    }

    /**
     * All loops that exist now, for a caller that steps them by hand: reflectors, informers, and the listeners of
     * registered handlers. Call it again after adding handlers or informers.
     */
    public List<Loop> loops() {
        List<Loop> loops = new ArrayList<>();
        all().forEach(informer -> loops.addAll(informer.loops()));
        return loops;
    }

    @Override
    public void stop(SharedIndexInformer<?> informer) {
        if (informer instanceof NamespacesInformer<?> several) {
            several.members().forEach(this::stop);
            return;
        }
        @Nullable
        CachingInformer<?> stopping = null;
        synchronized (this) {
            for (CachingInformer<?> candidate : all()) {
                if (candidate == informer) {
                    stopping = candidate;
                }
            }
            informers.values().remove(stopping);
            unshared.remove(stopping);
        }
        if (stopping != null) {
            stopping.close();
        }
    }

    @Override
    public boolean hasSynced() {
        return all().stream().allMatch(SharedIndexInformer::hasSynced);
    }

    @Override
    public synchronized List<SharedIndexInformer<?>> informers() {
        List<SharedIndexInformer<?>> all = new ArrayList<>();
        List<SharedIndexInformer<?>> ofMetadata = new ArrayList<>();
        informers.forEach((key, informer) -> (key.model() == PartialObjectMetadata.class ? ofMetadata : all)
                .add(informer));
        all.addAll(unshared);
        all.addAll(ofMetadata);
        return all;
    }

    @Override
    public List<InformerState> states() {
        return all().stream().map(SharedIndexInformer::state).toList();
    }

    /**
     * Checks all caches for changed objects, if {@link InformerOptions#detectMutations} is on.
     * @throws IllegalStateException if a cached object was changed
     */
    public void verifyUnchanged() {
        all().forEach(CachingInformer::verifyUnchanged);
    }

    private synchronized List<CachingInformer<?>> all() {
        List<CachingInformer<?>> all = new ArrayList<>(informers.values());
        all.addAll(unshared);
        return all;
    }

    /** Stops all informers. The factory makes no informers after that. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        all().forEach(CachingInformer::close);
    }
}
