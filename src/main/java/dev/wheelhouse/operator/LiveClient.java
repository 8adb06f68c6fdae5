package dev.wheelhouse.operator;

import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;

/**
 * The client of {@link Context#live}. It reads from the API server. Its writes are actions of the sync: they are
 * refused when the lead is lost, and recorded, so that the next sync waits until the caches show them. While the
 * service observes, writes are only planned, and the answer is the given or the stored object.
 */
record LiveClient<T extends KubernetesObject>(Writes context, ResourceClient<T> behind,
        Class<T> model) implements ResourceClient<T> {
    /** The writes of a sync. */
    interface Writes {
        /** @return the answer, or null if there is none */
        @Nullable
        KubernetesObject write(Action.Write write);

        void delete(ResourceType type, ObjectKey of, Deletion deletion, String why);
    }

    private static final String WHY = "the operator's reconciliation asked for it";

    @Override
    public ResourceType type() {
        return behind.type();
    }

    @Override
    public T get(ObjectKey key) {
        return behind.get(key);
    }

    @Override
    public T getSubresource(ObjectKey key, String subresource) {
        return behind.getSubresource(key, subresource);
    }

    @Override
    public Appliers appliers(ObjectKey key) {
        return behind.appliers(key);
    }

    @Override
    public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
        return behind.list(namespace, labels, fields, options);
    }

    @Override
    public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
        return behind.listerWatcher(namespace, labels, fields);
    }

    @Override
    public T create(T object) {
        return answer(new Action.Create(type(), object, WHY));
    }

    @Override
    public T update(T object) {
        return answer(new Action.Update(type(), object, WHY));
    }

    @Override
    public T updateStatus(T object) {
        return answer(new Action.UpdateStatus(type(), object, WHY));
    }

    @Override
    public T updateSubresource(T object, String subresource) {
        return answer(new Action.UpdateSubresource(type(), object, subresource, WHY));
    }

    @Override
    public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
        return answer(new Action.Patch(type(), key, subresource, patchType, body, WHY, Set.of(), model));
    }

    @Override
    public T apply(ObjectKey key, String subresource, String fieldManager, boolean force, String body) {
        return answer(new Action.Apply(type(), key, subresource, model, fieldManager, force, body, WHY));
    }

    private T answer(Action.Write write) {
        @Nullable
        KubernetesObject answer = context.write(write);
        return answer != null ? model.cast(answer) : behind.get(write.target());
    }

    @Override
    public void delete(ObjectKey key, Deletion deletion) {
        context.delete(type(), key, deletion, WHY);
    }

    @Override
    public void deleteCollection(String namespace, Deletion deletion) {
        context.write(new Action.DeleteCollection(type(), namespace, deletion, WHY));
    }

    @Override
    public void createSubresource(ObjectKey key, String subresource, Object body) {
        context.write(new Action.CreateSubresource(type(), key, subresource, body, WHY));
    }
}
