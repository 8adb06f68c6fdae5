package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.ResourceVersions;

/**
 * The informers of several namespaces as one, for clients that may not list all namespaces (upstream:
 * controller-runtime {@code pkg/cache/multi_namespace_cache.go}). Each namespace has its own list and watch. A
 * {@link NamespaceSet} says which there are; handlers are told of the objects of a namespace that leaves as if they
 * were deleted. A handler is still called by one thread at a time.
 *
 * <p>A namespace that the server forbids does not keep the others waiting, as long as one is allowed. The log names it;
 * its informer tries again, and its objects are added when it succeeds. Thread safe.
 */
final class NamespacesInformer<T extends KubernetesObject> implements SharedIndexInformer<T> {
    private final ResourceType type;
    private final Function<String, CachingInformer<T>> maker;
    private final Consumer<CachingInformer<T>> release;
    /** The informers of namespaces that are not open yet. Guarded by this. */
    private final Map<String, CachingInformer<T>> staged = new HashMap<>();
    private final NamespacesIndexer<T> indexer = new NamespacesIndexer<>();
    private final List<Group> groups = new CopyOnWriteArrayList<>();
    private final List<Runnable> onUnreadable = new CopyOnWriteArrayList<>();
    private final List<Consumer<String>> onReplaced = new CopyOnWriteArrayList<>();
    private boolean closed;

    /**
     * @param maker the informer of a namespace
     * @param release is given the informers that this one does not need any more
     */
    NamespacesInformer(ResourceType type, Function<String, CachingInformer<T>> maker,
            Consumer<CachingInformer<T>> release) {
        this.type = type;
        this.maker = maker;
        this.release = release;
    }

    // ---- the namespaces

    /** Begins to read a namespace, whose objects do not appear yet. */
    synchronized CachingInformer<T> stage(String namespace) {
        if (closed) {
            throw new IllegalStateException("cannot begin to read the namespace " + namespace + ": the " + this
                    + " was closed");
        }
        return staged.computeIfAbsent(namespace, maker);
    }

    /** Lets the objects of a staged namespace appear. */
    synchronized void open(String namespace) {
        CachingInformer<T> member = staged.remove(namespace);
        if (member != null) {
            onUnreadable.forEach(member::onUnreadable);
            onReplaced.forEach(member::onReplaced);
            indexer.put(namespace, member);
            groups.forEach(group -> group.add(member));
        }
    }

    /** Takes a namespace away, whether or not it is open. */
    void drop(String namespace) {
        CachingInformer<T> member;
        synchronized (this) {
            member = staged.remove(namespace);
            if (member == null) {
                member = indexer.members().get(namespace);
                if (member == null) {
                    return;
                }
                indexer.remove(namespace, member);
            }
        }
        for (Group group : groups) {
            group.drop(member);
        }
        release.accept(member);
    }

    synchronized boolean isForbidden(String namespace) {
        CachingInformer<T> member = staged.get(namespace);
        return member != null && member.isForbidden();
    }

    /** Takes all namespaces away, and tells nobody. */
    void close() {
        groups.clear();
        List<String> names;
        synchronized (this) {
            closed = true;
            names = new ArrayList<>(staged.keySet());
            names.addAll(indexer.members().keySet());
        }
        names.forEach(this::drop);
    }

    private Collection<CachingInformer<T>> members() {
        return indexer.members().values();
    }

    @Override
    public @Nullable SharedIndexInformer<T> of(String namespace) {
        return namespace.isEmpty() ? this : indexer.members().get(namespace);
    }

    // ---- handlers

    @Override
    public ResourceType type() {
        return type;
    }

    @Override
    public synchronized Registration addEventHandler(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod) {
        Group group = new Group(handler, resyncPeriod);
        members().forEach(group::add);
        groups.add(group);
        return group;
    }

    /** The registrations of one handler. */
    private final class Group implements Registration {
        private final OneAtATime<T> alone;
        private final ResourceEventHandler<T> shared;
        private final @Nullable Duration resyncPeriod;
        private final Map<CachingInformer<T>, Registration> registrations = new ConcurrentHashMap<>();

        Group(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod) {
            this.alone = new OneAtATime<>(handler, new ReentrantLock());
            this.shared = handler instanceof PromptHandler<T> ? new PromptHandler<>(alone) : alone;
            this.resyncPeriod = resyncPeriod;
        }

        void add(CachingInformer<T> member) {
            registrations.put(member, member.addEventHandler(shared, resyncPeriod));
        }

        void drop(CachingInformer<T> member) {
            Registration registration = registrations.remove(member);
            if (registration != null) {
                registration.remove();
                member.getIndexer().list().forEach(object -> alone.onDelete(object, true));
            }
        }

        @Override
        public boolean hasSynced() {
            return haveSynced(registrations.keySet(), member -> {
                Registration registration = registrations.get(member);
                return registration != null && registration.hasSynced();
            });
        }

        @Override
        public void whenSynced(Runnable action) {
            Map<CachingInformer<T>, Registration> now = Map.copyOf(registrations);
            whenAll(now.keySet(), (member, each) -> Objects.requireNonNull(now.get(member)).whenSynced(each), action);
        }

        @Override
        public void remove() {
            groups.remove(this);
            registrations.values().forEach(Registration::remove);
        }
    }

    /** A handler that several listeners share. A lock ensures that only one of their threads calls it at a time. */
    private record OneAtATime<T>(ResourceEventHandler<T> handler, ReentrantLock lock)
            implements
                ResourceEventHandler<T> {
        @Override
        public String name() {
            return handler.name();
        }

        private void alone(Runnable call) {
            lock.lock();
            try {
                call.run();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void onAdd(T object, boolean initial) {
            alone(() -> handler.onAdd(object, initial));
        }

        @Override
        public void onUpdate(T before, T after) {
            alone(() -> handler.onUpdate(before, after));
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            alone(() -> handler.onDelete(object, finalStateUnknown));
        }
    }

    @Override
    public Indexer<T> getIndexer() {
        return indexer;
    }

    @Override
    public void setTransform(UnaryOperator<T> transform) {
        members().forEach(member -> member.setTransform(transform));
    }

    @Override
    public void setWatchErrorHandler(Consumer<? super KubeApiException> handler) {
        members().forEach(member -> member.setWatchErrorHandler(handler));
    }

    @Override
    public boolean isStopped() {
        return members().stream().anyMatch(SharedIndexInformer::isStopped);
    }

    @Override
    public boolean hasSynced() {
        return haveSynced(members(), CachingInformer::hasSynced);
    }

    /** Whether some member has synced, and the others have, too, or are forbidden; or whether there is none. */
    private static <T extends KubernetesObject> boolean haveSynced(Collection<CachingInformer<T>> of,
            Predicate<CachingInformer<T>> synced) {
        return of.isEmpty() || of.stream().anyMatch(synced)
                && of.stream().allMatch(member -> synced.test(member) || member.isForbidden());
    }

    @Override
    public void whenSynced(Runnable action) {
        whenAll(members(), CachingInformer::whenSynced, action);
    }

    @Override
    public void whenFresh(long since, Runnable action) {
        whenAll(members(), (member, each) -> member.whenFresh(since, each), action);
    }

    /** Calls an action once, after some member has called its own, and the others have, too, or are forbidden. */
    private static <T extends KubernetesObject> void whenAll(Collection<CachingInformer<T>> of,
            BiConsumer<CachingInformer<T>, Runnable> when, Runnable action) {
        if (of.isEmpty()) {
            action.run();
            return;
        }
        Set<CachingInformer<T>> called = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        Runnable check = () -> {
            if (!called.isEmpty() && of.stream().allMatch(member -> called.contains(member) || member.isForbidden())
                    && done.compareAndSet(false, true)) {
                action.run();
            }
        };
        of.forEach(member -> {
            member.whenForbidden(check);
            when.accept(member, () -> {
                called.add(member);
                check.run();
            });
        });
    }

    /** The version that every member has reached that is not forbidden; empty if one of them has none. */
    @Override
    public String resourceVersion() {
        return oldest(members().stream().filter(member -> !member.isForbidden())
                .map(SharedIndexInformer::resourceVersion).toList());
    }

    private static String oldest(List<String> versions) {
        return versions.stream().allMatch(ResourceVersions::isComparable)
                ? versions.stream().min(ResourceVersions::compare).orElse("")
                : "";
    }

    @Override
    public synchronized void onUnreadable(Runnable action) {
        onUnreadable.add(action);
        members().forEach(member -> member.onUnreadable(action));
    }

    @Override
    public synchronized void onReplaced(Consumer<String> action) {
        onReplaced.add(action);
        members().forEach(member -> member.onReplaced(action));
    }

    @Override
    public void checkUnchanged(String who) {
        members().forEach(member -> member.checkUnchanged(who));
    }

    /** The members' states combined: sums of counts, the oldest version and event, and the first failure. */
    @Override
    public InformerState state() {
        List<InformerState> states = members().stream().map(SharedIndexInformer::state).toList();
        Instant lastEvent = states.stream().anyMatch(state -> state.lastEvent() == null)
                ? null
                : states.stream().map(InformerState::lastEvent).filter(Objects::nonNull).min(Instant::compareTo)
                        .orElse(null);
        InformerState.Failure failure = states.stream().map(InformerState::lastFailure).filter(Objects::nonNull)
                .findFirst().orElse(null);
        return new InformerState(type, String.join(",", indexer.members().keySet()),
                states.isEmpty() ? "" : states.getFirst().selector(), hasSynced(),
                indexer.size(), oldest(states.stream().map(InformerState::resourceVersion).toList()), lastEvent,
                failure, counts(states.stream().map(InformerState::counts).toList()),
                states.stream().flatMap(state -> state.handlers().stream()).toList());
    }

    private static InformerState.Counts counts(List<InformerState.Counts> counts) {
        Map<String, Long> relists = new TreeMap<>();
        Map<String, Long> watchEnds = new TreeMap<>();
        for (InformerState.Counts some : counts) {
            some.relists().forEach((cause, n) -> relists.merge(cause, n, Long::sum));
            some.watchEnds().forEach((cause, n) -> watchEnds.merge(cause, n, Long::sum));
        }
        @Nullable
        String lastDecodeError = counts.stream().map(InformerState.Counts::lastDecodeError).filter(Objects::nonNull)
                .findFirst().orElse(null);
        return new InformerState.Counts(counts.stream().mapToLong(InformerState.Counts::bytesReceived).sum(),
                counts.stream().mapToLong(InformerState.Counts::events).sum(), relists, watchEnds,
                counts.stream().mapToLong(InformerState.Counts::decodeErrors).sum(), lastDecodeError,
                counts.stream().mapToLong(InformerState.Counts::queued).sum(),
                counts.stream().flatMap(some -> some.unreadable().stream()).toList());
    }

    @Override
    public String toString() {
        return "informer of " + type
                + indexer.members().keySet().stream().collect(Collectors.joining(", ", " in ", ""));
    }
}
