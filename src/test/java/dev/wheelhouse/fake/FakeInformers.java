package dev.wheelhouse.fake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.Indexer;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.LoopRunner;

/** Informers over a {@link FakeCluster} that see nothing until {@link #deliver()}. One thread. */
public final class FakeInformers implements SharedInformerFactory {
    private final FakeCluster cluster;
    private final Map<String, FakeInformer<?>> informers = new LinkedHashMap<>();
    private final Set<ResourceType> unavailable = new HashSet<>();
    private int startedNew;

    public FakeInformers(FakeCluster cluster) {
        this.cluster = cluster;
        cluster.watch((type, change) -> informers.values().stream().filter(i -> i.type.equals(type))
                .forEach(i -> i.pending.add(change)));
    }

    /** Informers of this type never sync. */
    public void makeUnavailable(ResourceType type) {
        unavailable.add(type);
    }

    public void makeAvailable(ResourceType type) {
        unavailable.remove(type);
    }

    /** Delivers all that has happened to all handlers. @return whether there was anything */
    public boolean deliver() {
        boolean any = false;
        for (FakeInformer<?> informer : List.copyOf(informers.values())) {
            any |= informer.deliver();
        }
        return any;
    }

    public boolean hasInformer(ResourceType type) {
        return informers.values().stream().anyMatch(i -> i.type.equals(type));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            String namespace, LabelSelector labels, FieldSelector fields) {
        return (FakeInformer<T>) informers.computeIfAbsent(type.groupResource() + "/" + model.getSimpleName(),
                k -> new FakeInformer<>(type, model));
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            Set<String> namespaces, LabelSelector labels, FieldSelector fields) {
        return informer(type, model, String.join(",", namespaces), labels, fields);
    }

    @Override
    public SharedIndexInformer<PartialObjectMetadata> metadata(ResourceType type, String namespace,
            LabelSelector labels, FieldSelector fields) {
        return informer(type, PartialObjectMetadata.class, namespace, labels, fields);
    }

    @Override
    public void start(LoopRunner runner) {}

    @Override
    public void startNew() {
        startedNew++;
    }

    /** How often informers that were asked for late were to be started. */
    public int startedNew() {
        return startedNew;
    }

    @Override
    public void stop(SharedIndexInformer<?> informer) {
        informers.values().remove(informer);
    }

    @Override
    public boolean hasSynced() {
        return informers.values().stream().allMatch(FakeInformer::hasSynced);
    }

    @Override
    public List<InformerState> states() {
        List<InformerState> states = new ArrayList<>();
        informers.values().forEach(i -> states.add(i.state()));
        return states;
    }

    @Override
    public void close() {
        informers.clear();
    }

    private final class FakeInformer<T extends KubernetesObject> implements SharedIndexInformer<T>, Indexer<T> {
        private final ResourceType type;
        private final Class<T> model;
        private final Queue<FakeCluster.Change> pending = new ArrayDeque<>();
        private final Map<ObjectKey, T> cache = new HashMap<>();
        private final List<ResourceEventHandler<T>> handlers = new ArrayList<>();
        private UnaryOperator<T> transform = UnaryOperator.identity();
        private boolean synced;

        FakeInformer(ResourceType type, Class<T> model) {
            this.type = type;
            this.model = model;
            cluster.store(type).forEach((key, object) -> pending.add(new FakeCluster.Change(key, null, object)));
        }

        boolean deliver() {
            if (unavailable.contains(type)) {
                return false;
            }
            boolean any = !pending.isEmpty();
            boolean initial = !synced;
            FakeCluster.Change change;
            while ((change = pending.poll()) != null) {
                apply(change.key(), change.after(), initial);
            }
            synced = true;
            return any;
        }

        private void apply(ObjectKey key, @Nullable ObjectNode after, boolean initial) {
            T before = cache.get(key);
            if (after == null) {
                cache.remove(key);
                if (before != null) {
                    List.copyOf(handlers).forEach(h -> h.onDelete(before, false));
                }
                return;
            }
            T object = transform.apply(FakeCluster.read(after, model));
            cache.put(key, object);
            for (ResourceEventHandler<T> handler : List.copyOf(handlers)) {
                if (before == null) {
                    handler.onAdd(object, initial);
                } else {
                    handler.onUpdate(before, object);
                }
            }
        }

        @Override
        public ResourceType type() {
            return type;
        }

        @Override
        public Registration addEventHandler(ResourceEventHandler<T> handler) {
            handlers.add(handler);
            cache.values().forEach(object -> handler.onAdd(object, true));
            return new Registration() {
                @Override
                public boolean hasSynced() {
                    return synced;
                }

                @Override
                public void remove() {
                    handlers.remove(handler);
                }
            };
        }

        @Override
        public Registration addEventHandler(ResourceEventHandler<T> handler, Duration resyncPeriod) {
            return addEventHandler(handler);
        }

        @Override
        public void setTransform(UnaryOperator<T> function) {
            transform = function;
        }

        @Override
        public Indexer<T> getIndexer() {
            return this;
        }

        @Override
        public boolean hasSynced() {
            return synced;
        }

        @Override
        public InformerState state() {
            return InformerState.of(type, "", synced, cache.size(), "", unavailable.contains(type)
                    ? new InformerState.Failure("list", 403, "list: 403 Forbidden")
                    : null);
        }

        @Override
        public @Nullable T get(ObjectKey key) {
            return cache.get(key);
        }

        @Override
        public List<T> list() {
            return List.copyOf(cache.values());
        }

        @Override
        public List<T> list(String namespace) {
            return cache.entrySet().stream().filter(e -> e.getKey().namespace().equals(namespace))
                    .map(Map.Entry::getValue).toList();
        }

        @Override
        public List<T> byIndex(String index, String value) {
            throw new IllegalArgumentException("no index " + index);
        }

        @Override
        public Set<String> indexValues(String index) {
            throw new IllegalArgumentException("no index " + index);
        }

        @Override
        public void addIndex(String name, Function<T, Collection<String>> values) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int size() {
            return cache.size();
        }
    }
}
