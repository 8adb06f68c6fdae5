package dev.wheelhouse.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
 * controller-runtime {@code pkg/cache/multi_namespace_cache.go}). Each namespace has its own list and watch. A handler
 * is still called by one thread at a time.
 *
 * <p>A namespace that the server forbids does not keep the others waiting, as long as one is allowed. The log names it;
 * its informer tries again, and its objects are added when it succeeds. Thread safe.
 */
final class NamespacesInformer<T extends KubernetesObject> implements SharedIndexInformer<T> {
    private final ResourceType type;
    private final Map<String, CachingInformer<T>> members;
    private final Indexer<T> indexer;

    /** @param members the informers by namespace, at least one */
    NamespacesInformer(ResourceType type, Map<String, CachingInformer<T>> members) {
        this.type = type;
        this.members = new LinkedHashMap<>(members);
        Map<String, Indexer<T>> indexers = new LinkedHashMap<>();
        members.forEach((namespace, member) -> indexers.put(namespace, member.getIndexer()));
        this.indexer = new NamespacesIndexer<>(indexers);
    }

    Collection<CachingInformer<T>> members() {
        return List.copyOf(members.values());
    }

    @Override
    public ResourceType type() {
        return type;
    }

    @Override
    public Registration addEventHandler(ResourceEventHandler<T> handler, @Nullable Duration resyncPeriod) {
        OneAtATime<T> alone = new OneAtATime<>(handler, new ReentrantLock());
        ResourceEventHandler<T> shared = handler instanceof PromptHandler<T> ? new PromptHandler<>(alone) : alone;
        Map<CachingInformer<T>, Registration> registrations = new LinkedHashMap<>();
        members.values().forEach(member -> registrations.put(member, member.addEventHandler(shared, resyncPeriod)));
        return new Registration() {
            @Override
            public boolean hasSynced() {
                return haveSynced(member -> Objects.requireNonNull(registrations.get(member)).hasSynced());
            }

            @Override
            public void whenSynced(Runnable action) {
                whenAll((member, each) -> Objects.requireNonNull(registrations.get(member)).whenSynced(each), action);
            }

            @Override
            public void remove() {
                registrations.values().forEach(Registration::remove);
            }
        };
    }

    /** A handler that several listeners share. A lock ensures that only one of their threads calls it at a time. */
    private record OneAtATime<T>(ResourceEventHandler<T> handler, ReentrantLock lock)
            implements
                ResourceEventHandler<T> {
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
        members.values().forEach(member -> member.setTransform(transform));
    }

    @Override
    public void setWatchErrorHandler(Consumer<? super KubeApiException> handler) {
        members.values().forEach(member -> member.setWatchErrorHandler(handler));
    }

    @Override
    public boolean isStopped() {
        return members.values().stream().anyMatch(SharedIndexInformer::isStopped);
    }

    @Override
    public boolean hasSynced() {
        return haveSynced(CachingInformer::hasSynced);
    }

    /** Whether some member has synced, and the others have, too, or are forbidden. */
    private boolean haveSynced(Predicate<CachingInformer<T>> synced) {
        return members.values().stream().anyMatch(synced)
                && members.values().stream().allMatch(member -> synced.test(member) || member.isForbidden());
    }

    @Override
    public void whenSynced(Runnable action) {
        whenAll(CachingInformer::whenSynced, action);
    }

    @Override
    public void whenFresh(long since, Runnable action) {
        whenAll((member, each) -> member.whenFresh(since, each), action);
    }

    /** Calls an action once, after some member has called its own, and the others have, too, or are forbidden. */
    private void whenAll(BiConsumer<CachingInformer<T>, Runnable> when, Runnable action) {
        Set<CachingInformer<T>> called = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        Runnable check = () -> {
            if (!called.isEmpty()
                    && members.values().stream().allMatch(member -> called.contains(member) || member.isForbidden())
                    && done.compareAndSet(false, true)) {
                action.run();
            }
        };
        members.values().forEach(member -> {
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
        return oldest(members.values().stream().filter(member -> !member.isForbidden())
                .map(SharedIndexInformer::resourceVersion).toList());
    }

    private static String oldest(List<String> versions) {
        return versions.stream().allMatch(ResourceVersions::isComparable)
                ? versions.stream().min(ResourceVersions::compare).orElse("")
                : "";
    }

    @Override
    public void onUnreadable(Runnable action) {
        members.values().forEach(member -> member.onUnreadable(action));
    }

    /** The members' states combined: sums of counts, the oldest version and event, and the first failure. */
    @Override
    public InformerState state() {
        List<InformerState> states = members.values().stream().map(SharedIndexInformer::state).toList();
        Instant lastEvent = states.stream().anyMatch(state -> state.lastEvent() == null)
                ? null
                : states.stream().map(InformerState::lastEvent).filter(Objects::nonNull).min(Instant::compareTo)
                        .orElse(null);
        InformerState.Failure failure = states.stream().map(InformerState::lastFailure).filter(Objects::nonNull)
                .findFirst().orElse(null);
        return new InformerState(type, String.join(",", members.keySet()), states.getFirst().selector(), hasSynced(),
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
        return "informer of " + type + members.keySet().stream().collect(Collectors.joining(", ", " in ", ""));
    }
}
