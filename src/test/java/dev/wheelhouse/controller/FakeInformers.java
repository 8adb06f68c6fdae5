package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

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

/** Informers that follow a {@link FakeApi} only when they are told to, so that a test decides how old each cache is. */
public final class FakeInformers implements SharedInformerFactory {
    private final Map<ResourceType, Cache<?>> caches = new HashMap<>();
    private final ArrayDeque<FakeApi.Change> undelivered = new ArrayDeque<>();
    private String revision = "";

    private final FakeApi api;

    public FakeInformers(FakeApi api) {
        this.api = api;
        api.watch((server, change) -> undelivered.add(change));
    }

    /** Fills the caches, as the consistent first list of a new process does; each object is told as an initial add. */
    public void sync() {
        undelivered.clear();
        revision = api.revision();
        caches.values().forEach(Cache::fill);
    }

    /** Delivers the oldest change. @return whether there was one */
    public boolean deliverOne() {
        FakeApi.Change change = undelivered.poll();
        if (change == null) {
            return false;
        }
        revision = change.resourceVersion();
        Cache<?> cache = caches.get(change.type());
        if (cache != null) {
            cache.apply(change);
        }
        return true;
    }

    public void deliverAll() {
        while (deliverOne()) {
            // On to the next.
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(ResourceType type, Class<T> model,
            String namespace, LabelSelector labels, FieldSelector fields) {
        return (SharedIndexInformer<T>) caches.computeIfAbsent(type, Cache::new);
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
    public void stop(SharedIndexInformer<?> informer) {}

    @Override
    public boolean hasSynced() {
        return true;
    }

    @Override
    public List<InformerState> states() {
        return List.of();
    }

    @Override
    public void close() {}

    private final class Cache<T extends KubernetesObject> implements SharedIndexInformer<T>, Indexer<T> {
        private final ResourceType type;
        private final Map<ObjectKey, T> objects = new TreeMap<>();
        private final Map<String, Function<T, Collection<String>>> indices = new HashMap<>();
        private final List<ResourceEventHandler<T>> handlers = new ArrayList<>();
        private UnaryOperator<T> transform = UnaryOperator.identity();

        Cache(ResourceType type) {
            this.type = type;
        }

        @SuppressWarnings("unchecked")
        void fill() {
            objects.clear();
            for (KubernetesObject object : api.all(type, KubernetesObject.class)) {
                objects.put(ObjectKey.of(object), transform.apply((T) object));
            }
            objects.values().forEach(object -> handlers.forEach(handler -> handler.onAdd(object, true)));
        }

        @SuppressWarnings("unchecked")
        void apply(FakeApi.Change change) {
            T before = (T) change.before();
            T after = change.after() == null ? null : transform.apply((T) change.after());
            if (after == null) {
                T gone = before == null ? null : objects.remove(ObjectKey.of(before));
                if (gone != null) {
                    handlers.forEach(handler -> handler.onDelete(gone, false));
                }
                return;
            }
            T cached = objects.put(ObjectKey.of(after), after);
            if (before == null) {
                handlers.forEach(handler -> handler.onAdd(after, false));
            } else {
                handlers.forEach(handler -> handler.onUpdate(cached, after));
            }
        }

        @Override
        public ResourceType type() {
            return type;
        }

        @Override
        public Registration addEventHandler(ResourceEventHandler<T> handler) {
            handlers.add(handler);
            return new Registration() {
                @Override
                public boolean hasSynced() {
                    return true;
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
            return true;
        }

        @Override
        public InformerState state() {
            return InformerState.of(type, "", true, objects.size(), revision, null);
        }

        @Override
        public @Nullable T get(ObjectKey key) {
            return objects.get(key);
        }

        @Override
        public List<T> list() {
            return List.copyOf(objects.values());
        }

        @Override
        public List<T> list(String namespace) {
            return objects.entrySet().stream()
                    .filter(e -> namespace.isEmpty() || e.getKey().namespace().equals(namespace))
                    .map(Map.Entry::getValue).toList();
        }

        @Override
        public List<T> byIndex(String index, String value) {
            return objects.values().stream().filter(o -> indexed(index, o).contains(value)).toList();
        }

        @Override
        public Set<String> indexValues(String index) {
            Set<String> values = new LinkedHashSet<>();
            objects.values().forEach(o -> values.addAll(indexed(index, o)));
            return values;
        }

        private Collection<String> indexed(String index, T object) {
            Function<T, Collection<String>> values = indices.get(index);
            if (values == null) {
                throw new IllegalArgumentException("no index " + index);
            }
            return values.apply(object);
        }

        @Override
        public void addIndex(String name, Function<T, Collection<String>> values) {
            if (indices.put(name, values) != null) {
                throw new IllegalArgumentException("there is an index " + name + " already");
            }
        }

        @Override
        public int size() {
            return objects.size();
        }
    }
}
