package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.MeterRegistry;

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
    private final Map<CachedCollection<?>, CachingInformer<?>> informers = new LinkedHashMap<>();
    /** How often each shared informer was asked for. Only informers of several namespaces give theirs back. */
    private final Map<CachingInformer<?>, Integer> users = new HashMap<>();
    private final List<CachingInformer<?>> unshared = new ArrayList<>();
    private volatile @Nullable LoopRunner startedOn;
    private boolean closed;

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
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted) {
        return shared(wanted);
    }

    private synchronized <T extends KubernetesObject> CachingInformer<T> shared(CachedCollection<T> wanted) {
        requireOpen(wanted.type());
        // The collection contains the model class, so the cast is safe.
        @SuppressWarnings("unchecked")
        CachingInformer<T> informer = (CachingInformer<T>) informers.get(wanted);
        if (informer == null) {
            ResourceClient<T> resource = wanted.metadataOnly()
                    ? client.metadata(wanted.type(), wanted.model())
                    : client.resource(wanted.type(), wanted.model());
            informer = make(resource.listerWatcher(wanted.namespace(), wanted.labels(), wanted.fields()),
                    wanted.model(), wanted.metadataOnly());
            if (wanted.trim() != null) {
                informer.setTransform(wanted.trim());
            }
            informers.put(wanted, informer);
        }
        users.merge(informer, 1, Integer::sum);
        return informer;
    }

    private void giveBack(CachingInformer<?> informer) {
        synchronized (this) {
            if (users.merge(informer, -1, Integer::sum) > 0) {
                return;
            }
            users.remove(informer);
            informers.values().remove(informer);
        }
        informer.close();
    }

    private void requireOpen(ResourceType type) {
        if (closed) {
            throw new IllegalStateException("cannot make an informer of " + type + ": the factory was closed");
        }
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted,
            NamespaceSet namespaces) {
        NamespacesInformer<T> made = new NamespacesInformer<>(wanted.type(),
                namespace -> shared(wanted.in(namespace)), this::giveBack);
        namespaces.attach(made);
        return made;
    }

    @Override
    public synchronized SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type) {
        for (Map.Entry<CachedCollection<?>, CachingInformer<?>> known : informers.entrySet()) {
            if (known.getKey().isWhole(type) && !known.getValue().isTransformed()) {
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
        CachingInformer<T> made = make(source, model, false);
        unshared.add(made);
        return made;
    }

    /** Starts one informer that this factory made. Further starts of it do nothing. */
    public void start(SharedIndexInformer<?> informer, LoopRunner runner) {
        all().stream().filter(candidate -> candidate == informer).forEach(known -> known.start(runner));
    }

    private <T extends KubernetesObject> CachingInformer<T> make(ListerWatcher<T> source, Class<T> model,
            boolean metadataOnly) {
        ListerWatcher<T> read = shard == null ? source : new ShardedSource<>(source, shard);
        return new CachingInformer<>(read, model, options, clock,
                new InformerMeters(registry, clock, InformerMeters.tags(read, metadataOnly)));
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
            several.close();
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
            users.remove(stopping);
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
        List<SharedIndexInformer<?>> less = new ArrayList<>();
        informers.forEach((key, informer) -> (key.metadataOnly() || key.trim() != null ? less : all)
                .add(informer));
        all.addAll(unshared);
        all.addAll(less);
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
