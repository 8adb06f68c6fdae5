package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.WorkQueue;

/**
 * An event handler as a sentence: which changes of a cache enqueue which keys.
 * <pre>{@code
 * watch(pods).onAdd(pod -> !Pods.node(pod).isEmpty()).onAlter(Pods::node).enqueue(ObjectKey::of);
 * }</pre>
 *
 * Without {@code onAdd}, {@code onUpdate}, {@code onAlter} and {@code onDelete} all changes count; with some of them,
 * those that fulfil one. The last method of a sentence registers the handler. Keys of the initial list and of resyncs
 * get the low priority.
 *
 * @param <T> the class of the objects
 * @param <K> the keys of the queue
 */
public final class Watch<T extends KubernetesObject, K> {
    private final String controller;
    private final SharedIndexInformer<T> informer;
    private final WorkQueue<K> queue;
    private @Nullable Duration resync;
    private @Nullable Predicate<Change<T>> kinds;
    private Predicate<Change<T>> condition = change -> true;
    private Consumer<Change<T>> first = change -> {};
    private Function<? super Change<T>, Duration> delay = change -> Duration.ZERO;

    /** @param controller the name of the handler in states and logs */
    Watch(String controller, SharedIndexInformer<T> informer, WorkQueue<K> queue) {
        this.controller = controller;
        this.informer = informer;
        this.queue = queue;
    }

    /** Repeats the cached objects as updates in this period. */
    public Watch<T, K> resync(Duration period) {
        resync = period;
        return this;
    }

    /** Does something on every change, before the conditions are asked. */
    public Watch<T, K> first(Consumer<Change<T>> action) {
        first = first.andThen(action);
        return this;
    }

    /** Limits all changes to those that fulfil a condition. */
    public Watch<T, K> when(Predicate<? super Change<T>> limit) {
        condition = condition.and(limit);
        return this;
    }

    public Watch<T, K> onAdd() {
        return or(Change::isAddition);
    }

    public Watch<T, K> onAdd(Predicate<? super T> object) {
        return or(change -> change.isAddition() && object.test(change.object()));
    }

    /** @param states takes the states before and after the update */
    public Watch<T, K> onUpdate(BiPredicate<? super T, ? super T> states) {
        return or(change -> change.before() != null && change.after() != null
                && states.test(change.before(), change.after()));
    }

    /** Updates with another value of a part of the object. */
    public Watch<T, K> onAlter(Function<? super T, ? extends @Nullable Object> part) {
        return or(change -> change.alters(part));
    }

    public Watch<T, K> onDelete() {
        return or(Change::isDeletion);
    }

    public Watch<T, K> onDelete(Predicate<? super T> object) {
        return or(change -> change.isDeletion() && object.test(change.object()));
    }

    private Watch<T, K> or(Predicate<Change<T>> kind) {
        kinds = kinds == null ? kind : kinds.or(kind);
        return this;
    }

    /** Delays the keys. */
    public Watch<T, K> after(Duration wait) {
        return after(change -> wait);
    }

    /** Delays the keys of a change; zero for no delay. */
    public Watch<T, K> after(Function<? super Change<T>, Duration> wait) {
        delay = wait;
        return this;
    }

    /** @param key returns the key that an object enqueues; null for none */
    public void enqueue(Function<? super T, ? extends @Nullable K> key) {
        enqueueFor(change -> Stream.ofNullable(key.apply(change.object())));
    }

    /** @param keys returns the keys that an object enqueues */
    public void enqueueEach(Function<? super T, ? extends Stream<? extends K>> keys) {
        enqueueFor(change -> keys.apply(change.object()));
    }

    /** @param keys returns the keys that a change enqueues */
    public void enqueueFor(Function<? super Change<T>, ? extends Stream<? extends K>> keys) {
        run(change -> {
            Duration wait = delay.apply(change);
            keys.apply(change).forEach(key -> {
                if (wait.isPositive()) {
                    queue.addAfter(key, wait);
                } else {
                    queue.add(key, change.priority());
                }
            });
        });
    }

    /** Registers a handler that does something else than enqueue keys. */
    public void run(Consumer<? super Change<T>> action) {
        ResourceEventHandler<T> handler = new ResourceEventHandler<>() {
            @Override
            public String name() {
                return controller;
            }

            @Override
            public void onAdd(T object, boolean initial) {
                handle(new Change<>(null, object, initial), action);
            }

            @Override
            public void onUpdate(T before, T after) {
                handle(new Change<>(before, after, false), action);
            }

            @Override
            public void onDelete(T object, boolean finalStateUnknown) {
                handle(new Change<>(object, null, false), action);
            }
        };
        if (resync == null) {
            informer.addEventHandler(handler);
        } else {
            informer.addEventHandler(handler, resync);
        }
    }

    private void handle(Change<T> change, Consumer<? super Change<T>> action) {
        first.accept(change);
        if ((kinds == null || kinds.test(change)) && condition.test(change)) {
            action.accept(change);
        }
    }
}
