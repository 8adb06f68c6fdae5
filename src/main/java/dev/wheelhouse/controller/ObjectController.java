package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * The base of controllers that sync the objects of one cache, {@link #primary}. A subclass implements
 * {@link #sync(ObjectKey, KubernetesObject, SyncRun)}; it keeps in a {@link #memory} what it remembers about an object.
 */
public abstract class ObjectController<T extends KubernetesObject> extends KeyedController<ObjectKey> {
    /** The objects that the controller syncs. */
    protected final SharedIndexInformer<T> primary;
    private final List<Map<ObjectKey, ?>> memories = new ArrayList<>();

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

    @Override
    protected final Result sync(ObjectKey key, SyncRun run) throws InterruptedException {
        T object = primary.get(key);
        return object == null ? gone(key, run) : sync(key, object, run);
    }

    /** Brings one object to its desired state. */
    protected abstract Result sync(ObjectKey key, T object, SyncRun run) throws InterruptedException;

    /**
     * A new map from keys to what the controller remembers about their objects. An entry is removed after its object is
     * gone. For the fields of a subclass. Thread safe.
     */
    protected final <V> Map<ObjectKey, V> memory() {
        Map<ObjectKey, V> memory = new ConcurrentHashMap<>();
        memories.add(memory);
        return memory;
    }

    /** Ends the work for a key without an object. By default forgets the key. */
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {
        run.note(() -> memories.forEach(memory -> memory.remove(key)));
        run.forget();
        return Result.done();
    }

    @Override
    public final ResourceType syncs() {
        return primary.type();
    }

    @Override
    protected final @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        return primary.type().groupResource().equals(groupResource) && primary.get(object) != null ? object : null;
    }
}
