package dev.wheelhouse.controller;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The base of controllers that sync the objects of one cache, {@link #primary}, and can show what they would do. A
 * subclass implements {@link #plan(ObjectKey, KubernetesObject)}. If a sync does more than the planned writes, the
 * subclass overrides {@link #sync(ObjectKey, KubernetesObject)}; if it remembers something about a key, {@link #gone}.
 */
public abstract class ObjectController<T extends KubernetesObject> extends KeyedController implements Plannable {
    /** The objects that the controller syncs. */
    protected final SharedIndexInformer<T> primary;

    /** @param name the name in upstream's kube-controller-manager */
    protected ObjectController(String name, ControllerContext context, ResourceType type, Class<T> model) {
        this(name, name, context, RateLimits.CONTROLLER, null, type, model);
    }

    /**
     * @param eventSource the component in its Events
     * @param workers the number of workers if the options name none for this controller; null for that of all
     */
    protected ObjectController(String name, String eventSource, ControllerContext context, RateLimits limits,
            @Nullable Integer workers, ResourceType type, Class<T> model) {
        this(name, eventSource, context, limits, workers, context.informers().informer(type, model));
    }

    /** @param primary an informer of the context, perhaps of some objects only */
    protected ObjectController(String name, String eventSource, ControllerContext context, RateLimits limits,
            @Nullable Integer workers, SharedIndexInformer<T> primary) {
        super(name, eventSource, context, limits, workers);
        this.primary = primary;
        follow(primary);
    }

    /** The result of {@link #plan(ObjectKey)} for an object in the cache. */
    protected abstract List<Action> plan(ObjectKey key, T object);

    @Override
    protected Result sync(ObjectKey key) throws InterruptedException {
        T object = primary.get(key);
        return object == null ? gone(key) : sync(key, object);
    }

    /** Brings one object to its desired state. By default executes its plan. */
    protected Result sync(ObjectKey key, T object) {
        return executor.execute(key, plan(key, object)).toResult();
    }

    /** Ends the work for a key without an object. By default forgets the key. */
    protected Result gone(ObjectKey key) {
        forget(key);
        return Result.done();
    }

    @Override
    public final ResourceType plansFor() {
        return primary.type();
    }

    @Override
    public final boolean knows(ObjectKey key) {
        return primary.get(key) != null;
    }

    @Override
    public final List<Action> plan(ObjectKey key) {
        T object = primary.get(key);
        return object == null ? List.of() : plan(key, object);
    }
}
