package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/**
 * The informers of a factory as one user sees them, for example one controller. It remembers the handlers and indices
 * that this user adds, and removes all of them with {@link #close}. The informers themselves stay, because others share
 * them. An informer is stopped only if no other scope of the same {@link Sharing} uses it. Thread safe.
 */
public final class ScopedInformers implements SharedInformerFactory, AutoCloseable {
    private final SharedInformerFactory behind;
    private final Sharing sharing;
    private final boolean prompt;
    private final Map<SharedIndexInformer<?>, Scoped<?>> used = new IdentityHashMap<>();
    private final List<Runnable> undo = new ArrayList<>();
    /** The handlers that {@link #whenHandled} waits for. */
    private final List<Handling> initial = new ArrayList<>();
    /** The registrations that wait for {@link #open}; null once it was called. */
    private @Nullable List<Handling> deferred;
    private boolean closed;

    /** Counts the scopes that use each informer of one factory. Thread safe. */
    public static final class Sharing {
        private final Map<SharedIndexInformer<?>, Integer> users = new IdentityHashMap<>();

        private synchronized void add(SharedIndexInformer<?> informer) {
            users.merge(informer, 1, Integer::sum);
        }

        /** @return whether no scope uses the informer any more */
        private synchronized boolean remove(SharedIndexInformer<?> informer) {
            return users.computeIfPresent(informer, (i, count) -> count == 1 ? null : count - 1) == null;
        }
    }

    /**
     * @param opened whether handlers are registered at once; if not, by {@link #open}
     * @param prompt whether the user's handlers wait for nothing and do little work. The prompt handlers of one cache
     *     may share a thread; each other handler has its own
     */
    public ScopedInformers(SharedInformerFactory behind, Sharing sharing, boolean opened, boolean prompt) {
        this.behind = behind;
        this.sharing = sharing;
        this.prompt = prompt;
        this.deferred = opened ? null : new ArrayList<>();
    }

    /**
     * Registers the handlers that were added so far, in their order; later ones are registered at once. Each handler
     * gets an add for every cached object. Further calls do nothing.
     */
    public void open() {
        List<Handling> opening;
        synchronized (this) {
            opening = deferred == null ? List.of() : deferred;
            deferred = null;
        }
        opening.forEach(Handling::register);
    }

    /**
     * Calls an action once, as soon as every handler of these informers that was added so far has had every object of
     * the initial list: at once if all have. From then on the owner may act on the state that its handlers have built.
     * Otherwise a thread of the informers calls it, so it must not block.
     */
    public void whenHandled(Collection<SharedIndexInformer<?>> informers, Runnable action) {
        CompletableFuture<?>[] handled;
        synchronized (this) {
            handled = initial.stream().filter(each -> informers.contains(each.informer)).map(each -> each.handled)
                    .toArray(CompletableFuture<?>[]::new);
            initial.clear();
        }
        CompletableFuture<Void> unused = CompletableFuture.allOf(handled).thenRun(action);
    }

    private SharedIndexInformer.Registration register(SharedIndexInformer<?> informer,
            Supplier<SharedIndexInformer.Registration> handler) {
        Handling made = new Handling(informer, handler);
        synchronized (this) {
            initial.add(made);
            if (deferred != null) {
                deferred.add(made);
                return made;
            }
        }
        made.register();
        return made;
    }

    /** A registration, which may wait for {@link #open}. */
    private final class Handling implements SharedIndexInformer.Registration {
        private final SharedIndexInformer<?> informer;
        private final Supplier<SharedIndexInformer.Registration> handler;
        private SharedIndexInformer.@Nullable Registration registered;
        /** Completed when the handler has had the whole initial list or is removed. */
        private final CompletableFuture<Void> handled = new CompletableFuture<>();
        private boolean removed;

        Handling(SharedIndexInformer<?> informer, Supplier<SharedIndexInformer.Registration> handler) {
            this.informer = informer;
            this.handler = handler;
        }

        synchronized void register() {
            if (!removed) {
                SharedIndexInformer.Registration made = handler.get();
                registered = made;
                onClose(made::remove);
                made.whenSynced(() -> handled.complete(null));
            }
        }

        @Override
        public synchronized boolean hasSynced() {
            return registered != null && registered.hasSynced();
        }

        @Override
        public void whenSynced(Runnable action) {
            CompletableFuture<Void> unused = handled.thenRun(action);
        }

        @Override
        public void remove() {
            synchronized (this) {
                removed = true;
                if (registered != null) {
                    registered.remove();
                }
            }
            handled.complete(null);
        }
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted) {
        return scoped(behind.informer(wanted));
    }

    @Override
    public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted,
            NamespaceSet namespaces) {
        return scoped(behind.informer(wanted, namespaces));
    }

    @Override
    public SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type) {
        return scoped(behind.metadataOrMore(type));
    }

    private synchronized <T> SharedIndexInformer<T> scoped(SharedIndexInformer<T> informer) {
        Scoped<?> known = used.get(informer);
        if (known != null) {
            // A scoped informer has the type of the informer that it stands for.
            @SuppressWarnings("unchecked")
            Scoped<T> same = (Scoped<T>) known;
            return same;
        }
        Scoped<T> made = new Scoped<>(informer);
        used.put(informer, made);
        sharing.add(informer);
        return made;
    }

    @Override
    public void startNew() {
        behind.startNew();
    }

    @Override
    public void stop(SharedIndexInformer<?> informer) {
        SharedIndexInformer<?> shared = informer instanceof Scoped<?> scoped ? scoped.behind : informer;
        boolean last;
        synchronized (this) {
            last = used.remove(shared) != null && sharing.remove(shared);
        }
        if (last) {
            behind.stop(shared);
        }
    }

    @Override
    public boolean hasSynced() {
        return behind.hasSynced();
    }

    @Override
    public List<SharedIndexInformer<?>> informers() {
        return behind.informers();
    }

    @Override
    public List<InformerState> states() {
        return behind.states();
    }

    /**
     * Removes the handlers and indices of this scope, the latest first. Those that are added later are removed at once.
     */
    @Override
    public void close() {
        close(type -> false);
    }

    /**
     * Like {@link #close()}, and stops the informers of some types that no other scope uses. Informers of several
     * namespaces end with their scope.
     *
     * @param gone whether the API server does not serve a type any more
     */
    public void close(Predicate<ResourceType> gone) {
        List<Runnable> undoing;
        List<SharedIndexInformer<?>> informers;
        synchronized (this) {
            closed = true;
            undoing = new ArrayList<>(undo).reversed();
            undo.clear();
            informers = List.copyOf(used.keySet());
        }
        undoing.forEach(Runnable::run);
        for (SharedIndexInformer<?> informer : informers) {
            if (gone.test(informer.type()) || informer instanceof NamespacesInformer) {
                stop(informer);
            } else {
                release(informer);
            }
        }
    }

    private synchronized void release(SharedIndexInformer<?> informer) {
        if (used.remove(informer) != null) {
            sharing.remove(informer);
        }
    }

    private void onClose(Runnable action) {
        synchronized (this) {
            if (!closed) {
                undo.add(action);
                return;
            }
        }
        action.run();
    }

    private final class Scoped<T> implements SharedIndexInformer<T> {
        private final SharedIndexInformer<T> behind;
        private final Indexer<T> indexer;

        Scoped(SharedIndexInformer<T> behind) {
            this.behind = behind;
            this.indexer = new ScopedIndexer<>(behind.getIndexer());
        }

        @Override
        public ResourceType type() {
            return behind.type();
        }

        @Override
        public @Nullable SharedIndexInformer<T> of(String namespace) {
            return behind.of(namespace);
        }

        @Override
        public Registration addEventHandler(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod) {
            return register(this,
                    () -> behind.addEventHandler(prompt ? new PromptHandler<>(handler) : handler, resyncPeriod));
        }

        @Override
        public Indexer<T> getIndexer() {
            return indexer;
        }

        @Override
        public void setTransform(UnaryOperator<T> transform) {
            behind.setTransform(transform);
        }

        @Override
        public void setWatchErrorHandler(Consumer<? super KubeApiException> handler) {
            behind.setWatchErrorHandler(handler);
        }

        @Override
        public boolean isStopped() {
            return behind.isStopped();
        }

        @Override
        public boolean hasSynced() {
            return behind.hasSynced();
        }

        @Override
        public void whenSynced(Runnable action) {
            behind.whenSynced(action);
        }

        @Override
        public void whenFresh(long since, Runnable action) {
            behind.whenFresh(since, action);
        }

        @Override
        public String resourceVersion() {
            return behind.resourceVersion();
        }

        @Override
        public void onUnreadable(Runnable action) {
            behind.onUnreadable(action);
        }

        @Override
        public void onReplaced(Consumer<String> action) {
            behind.onReplaced(action);
        }

        @Override
        public void checkUnchanged(String who) {
            behind.checkUnchanged(who);
        }

        @Override
        public InformerState state() {
            return behind.state();
        }

        @Override
        public String toString() {
            return behind.toString();
        }
    }

    private final class ScopedIndexer<T> implements Indexer<T> {
        private final Indexer<T> behind;

        ScopedIndexer(Indexer<T> behind) {
            this.behind = behind;
        }

        @Override
        public @Nullable T get(ObjectKey key) {
            return behind.get(key);
        }

        @Override
        public List<T> list() {
            return behind.list();
        }

        @Override
        public List<T> list(String namespace) {
            return behind.list(namespace);
        }

        @Override
        public List<T> byIndex(String index, String value) {
            return behind.byIndex(index, value);
        }

        @Override
        public Set<String> indexValues(String index) {
            return behind.indexValues(index);
        }

        @Override
        public void addIndex(String name, Function<T, Collection<String>> values) {
            behind.addIndex(name, values);
            onClose(() -> behind.removeIndex(name));
        }

        @Override
        public void removeIndex(String name) {
            behind.removeIndex(name);
        }

        @Override
        public int size() {
            return behind.size();
        }
    }
}
