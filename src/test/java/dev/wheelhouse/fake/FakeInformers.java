package dev.wheelhouse.fake;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.fake.FakeCluster.Change;
import dev.wheelhouse.informer.Indexer;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;

/**
 * Informers of a {@link FakeCluster} that get changes only when the test delivers them, so that the test controls the
 * age of each cache. Not thread safe.
 */
public final class FakeInformers implements SharedInformerFactory {
    private final FakeCluster cluster;
    private final Map<String, FakeInformer<?>> informers = new LinkedHashMap<>();
    private final Set<ResourceType> unavailable = new HashSet<>();
    private long revision;
    private int startedNew;

    public FakeInformers(FakeCluster cluster) {
        this.cluster = cluster;
        cluster.watch(change -> informers.values().stream().filter(i -> i.type.equals(change.type()))
                .forEach(i -> i.pending.add(change)));
    }

    /** From now on informers of this type never sync. */
    public void makeUnavailable(ResourceType type) {
        unavailable.add(type);
    }

    /**
     * Delivers all changes to all handlers.
     * @return whether there were any
     */
    public boolean deliver() {
        boolean any = false;
        while (deliverOne()) {
            any = true;
        }
        revision = cluster.version();
        available().forEach(informer -> informer.synced = true);
        return any;
    }

    /**
     * Delivers the oldest change of all types.
     * @return whether there was one
     */
    public boolean deliverOne() {
        FakeInformer<?> oldest = available().filter(i -> !i.pending.isEmpty())
                .min(Comparator.comparingLong(i -> i.pending.element().version())).orElse(null);
        if (oldest == null) {
            return false;
        }
        oldest.deliver(oldest.pending.remove());
        return true;
    }

    private Stream<FakeInformer<?>> available() {
        return List.copyOf(informers.values()).stream().filter(i -> !unavailable.contains(i.type));
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
    public void startNew() {
        startedNew++;
    }

    /** How often {@link #startNew} was called. */
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

    private final class FakeInformer<T extends KubernetesObject> implements SharedIndexInformer<T>, Indexer<T> {
        private final ResourceType type;
        private final Class<T> model;
        private final Queue<Change> pending = new ArrayDeque<>();
        private final Map<ObjectKey, T> cache = new TreeMap<>();
        private final Map<String, Function<T, Collection<String>>> indices = new HashMap<>();
        private final List<ResourceEventHandler<T>> handlers = new ArrayList<>();
        private UnaryOperator<T> transform = UnaryOperator.identity();
        private boolean synced;

        FakeInformer(ResourceType type, Class<T> model) {
            this.type = type;
            this.model = model;
            cluster.store(type).forEach((key, object) -> pending.add(
                    new Change(type, key, object.path("metadata").path("resourceVersion").asLong(), null, object)));
        }

        void deliver(Change change) {
            revision = Math.max(revision, change.version());
            T before = cache.get(change.key());
            if (change.after() == null) {
                cache.remove(change.key());
                if (before != null) {
                    List.copyOf(handlers).forEach(h -> h.onDelete(before, false));
                }
                return;
            }
            boolean initial = !synced;
            T object = transform.apply(ModelJson.read(change.after(), model));
            cache.put(change.key(), object);
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
        public void whenSynced(Runnable action) {
            if (synced) {
                action.run();
            }
        }

        @Override
        public String resourceVersion() {
            return Long.toString(revision);
        }

        @Override
        public InformerState state() {
            return InformerState.of(type, "", synced, cache.size(), resourceVersion(), unavailable.contains(type)
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
            return cache.entrySet().stream()
                    .filter(e -> namespace.isEmpty() || e.getKey().namespace().equals(namespace))
                    .map(Map.Entry::getValue).toList();
        }

        @Override
        public List<T> byIndex(String index, String value) {
            return cache.values().stream().filter(o -> indexed(index, o).contains(value)).toList();
        }

        @Override
        public Set<String> indexValues(String index) {
            Set<String> values = new LinkedHashSet<>();
            cache.values().forEach(o -> values.addAll(indexed(index, o)));
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
            return cache.size();
        }
    }
}
