package dev.wheelhouse.simulation;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Origin;
import dev.wheelhouse.simulation.PlantedFault.Defect;
import dev.wheelhouse.workqueue.Priority;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** Typical programming errors of any controller, injected from outside. */
final class Defects {
    private Defects() {}

    /** The controller does not record its deletions, so that the next sync may repeat them. */
    static final Defect DELETIONS_NOT_RECORDED = (server, context) -> context.withExecutor(right -> (owner,
            actions) -> right.execute(actions.stream().anyMatch(Defects::deletes) ? "nobody" : owner, actions));

    /** The controller syncs although its caches are older than its own writes. */
    static final Defect STALE_READ = (server, context) -> context
            .withExecutor(right -> (owner, actions) -> right.execute("nobody", actions));

    /** A manager that stood by works on its caches as they are: each cache seems to be as new as the lead. */
    static final Defect OLD_CACHES = (server, context) -> context.with(neverOld(SharedInformerFactory.class,
            context.informers()));

    /** Stands for informers or for one informer. */
    private static <T> T neverOld(Class<T> type, Object right) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (self, method, given) -> {
            if (method.getName().equals("whenFresh")) {
                ((Runnable) given[1]).run();
                return null;
            }
            Object result = method.invoke(right, given);
            return result instanceof SharedIndexInformer<?> ? neverOld(SharedIndexInformer.class, result) : result;
        }));
    }

    /** Keys that should be retried are dropped. */
    static final Defect LOST_REQUEUE = (server, context) -> context.with(new ControllerContext.Queues() {
        @Override
        public <K> WorkQueue<K> make(String name, RateLimits limits) {
            return new ForgetfulQueue<>(context.queue(name, limits));
        }
    });

    /** A controller decides on other actions than it should. Each manager gets a change of its own. */
    static Defect decision(String controllerName, Function<Truth, Change> changes) {
        return (server, context) -> {
            Change change = changes.apply(new Truth(new Contents(server.store()), Simulation.NAMESPACE));
            return !context.name().equals(controllerName)
                    ? context
                    : context.withExecutor(right -> (owner, actions) -> right.execute(owner,
                            change.of(owner, new ArrayList<>(actions))));
        };
    }

    /** A controller makes other writes than it should. */
    static Defect writes(String controllerName, BiFunction<Truth, Action.Write, Action.Write> change) {
        return decision(controllerName, truth -> (owner, actions) -> actions.stream().map(action -> switch (action) {
            case Action.Batch batch -> new Action.Batch(
                    batch.writes().stream().map(w -> change.apply(truth, w)).toList(), batch.slowStart());
            case Action.Write write -> change.apply(truth, write);
            default -> action;
        }).toList());
    }

    /** A controller writes the objects of a class otherwise than it should. The change gets a copy of each. */
    static <T extends KubernetesObject> Defect objects(String controllerName, Class<? extends Action.Write> verb,
            Class<T> model, Consumer<T> change) {
        UnaryOperator<KubernetesObject> changed = object -> {
            if (!model.isInstance(object)) {
                return object;
            }
            T copy = ModelJson.copy(model.cast(object));
            change.accept(copy);
            return copy;
        };
        return writes(controllerName, (truth, write) -> !verb.isInstance(write) ? write : switch (write) {
            case Action.Create c -> new Action.Create(c.type(), changed.apply(c.object()), c.why());
            case Action.Update u -> new Action.Update(u.type(), changed.apply(u.object()), u.why());
            case Action.UpdateStatus u -> new Action.UpdateStatus(u.type(), changed.apply(u.object()), u.why());
            case Action.UpdateSubresource u ->
                new Action.UpdateSubresource(u.type(), changed.apply(u.object()), u.subresource(), u.why());
            default -> throw new IllegalArgumentException(verb + " writes no object");
        });
    }

    /** A controller takes other actions in the place of some. */
    static Defect each(String controllerName, Replacement replacement) {
        return decision(controllerName, truth -> (owner, actions) -> actions.stream()
                .map(action -> replacement.of(truth, owner, action)).toList());
    }

    /** A controller does not take some of its actions. */
    static Defect without(String controllerName, Predicate<Action> lost) {
        return decision(controllerName, truth -> (owner, actions) -> actions.stream().filter(lost.negate()).toList());
    }

    /** The object that an owner's sync is about, by the owner in words. */
    static ObjectKey object(Object owner) {
        String words = owner.toString().replaceFirst("^[a-z]+:", "");
        int slash = words.indexOf('/');
        return slash < 0
                ? ObjectKey.cluster(words)
                : ObjectKey.of(words.substring(0, slash), words.substring(slash + 1));
    }

    /** A controller takes no action. */
    static Defect idle(String controllerName) {
        return without(controllerName, action -> true);
    }

    /** Replaces one action. */
    interface Replacement {
        Action of(Truth truth, Object owner, Action action);
    }

    /** Replaces the actions of a sync. */
    interface Change {
        List<Action> of(Object owner, List<Action> actions);
    }

    private static boolean deletes(Action action) {
        return action instanceof Action.Delete
                || action instanceof Action.Batch batch && batch.writes().stream().anyMatch(Defects::deletes);
    }

    private record ForgetfulQueue<K>(WorkQueue<K> behind) implements WorkQueue<K> {
        @Override
        public void add(K key, Priority priority) {
            behind.add(key, priority);
        }

        @Override
        public void addAfter(K key, Duration delay) {
            // Drop the key.
        }

        @Override
        public void addRateLimited(K key, Duration atLeast) {
            // Drop the key.
        }

        @Override
        public void succeeded(K key, Duration next) {
            behind.succeeded(key, Duration.ZERO);
        }

        @Override
        public void forget(K key) {
            behind.forget(key);
        }

        @Override
        public int numRequeues(K key) {
            return behind.numRequeues(key);
        }

        @Override
        public Origin origin(K key) {
            return behind.origin(key);
        }

        @Override
        public long nanosToDue(K key) {
            return behind.nanosToDue(key);
        }

        @Override
        public void passOn() {
            behind.passOn();
        }

        @Override
        public @Nullable K poll() {
            return behind.poll();
        }

        @Override
        public void awaitReady(long nanos) throws InterruptedException {
            behind.awaitReady(nanos);
        }

        @Override
        public long nanosToNextDue() {
            return behind.nanosToNextDue();
        }

        @Override
        public void done(K key) {
            behind.done(key);
        }

        @Override
        public int size() {
            return behind.size();
        }

        @Override
        public void shutDown() {
            behind.shutDown();
        }

        @Override
        public boolean isShutDown() {
            return behind.isShutDown();
        }

        @Override
        public boolean awaitIdle(Duration within) throws InterruptedException {
            return behind.awaitIdle(within);
        }
    }
}
