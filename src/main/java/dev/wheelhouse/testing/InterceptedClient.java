package dev.wheelhouse.testing;

import java.util.Map;
import java.util.function.Supplier;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ForwardingListerWatcher;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ListerWatcher;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/** A client that sends all calls through an {@link Interceptor}. */
@PublicApi(false)
public record InterceptedClient(KubeClient behind, Interceptor interceptor) implements KubeClient {
    @Override
    public <T extends KubernetesObject> ResourceClient<T> resource(ResourceType type, Class<T> model) {
        return new Resource<>(behind.resource(type, model), interceptor, model.getSimpleName());
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> metadata(ResourceType type, Class<T> model) {
        return new Resource<>(behind.metadata(type, model), interceptor, "metadata");
    }

    @Override
    public KubeClient asNode(String name) {
        return new InterceptedClient(behind.asNode(name), interceptor);
    }

    @Override
    public Discovered discover() {
        return interceptor.discover(behind::discover);
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) {
        return interceptor.read(path, query, () -> behind.read(path, query));
    }

    @Override
    public String server() {
        return behind.server();
    }

    @Override
    public String serverVersion() {
        return behind.serverVersion();
    }

    @Override
    public void close() {
        behind.close();
    }

    private record Resource<T extends KubernetesObject>(ResourceClient<T> behind, Interceptor interceptor, String model)
            implements
                ResourceClient<T> {
        @Override
        public ResourceType type() {
            return behind.type();
        }

        @Override
        public T get(ObjectKey key) {
            return interceptor.get(type(), key, () -> behind.get(key));
        }

        @Override
        public T getSubresource(ObjectKey key, String subresource) {
            return interceptor.getSubresource(type(), key, subresource,
                    () -> behind.getSubresource(key, subresource));
        }

        private <R> R write(String verb, ObjectKey key, String subresource, Object payload,
                Supplier<R> call) {
            return interceptor.write(new WriteRequest(verb, type(), key, subresource, payload), call);
        }

        private void run(String verb, ObjectKey key, String subresource, Object payload, Runnable call) {
            write(verb, key, subresource, payload, () -> {
                call.run();
                return true;
            });
        }

        @Override
        public T create(T object) {
            return write("create", ObjectKey.ofNew(object), "", object, () -> behind.create(object));
        }

        @Override
        public T update(T object) {
            return write("update", ObjectKey.of(object), "", object, () -> behind.update(object));
        }

        @Override
        public T updateStatus(T object) {
            return write("update", ObjectKey.of(object), "status", object, () -> behind.updateStatus(object));
        }

        @Override
        public T updateSubresource(T object, String subresource) {
            return write("update", ObjectKey.of(object), subresource, object,
                    () -> behind.updateSubresource(object, subresource));
        }

        @Override
        public T patch(ObjectKey key, String subresource, PatchType patchType, String body) {
            return write("patch", key, subresource, body, () -> behind.patch(key, subresource, patchType, body));
        }

        @Override
        public T apply(ObjectKey key, String subresource, String fieldManager, boolean force, String body) {
            return write("apply", key, subresource, body,
                    () -> behind.apply(key, subresource, fieldManager, force, body));
        }

        @Override
        public Appliers appliers(ObjectKey key) {
            return behind.appliers(key);
        }

        @Override
        public void delete(ObjectKey key, Deletion deletion) {
            run("delete", key, "", deletion, () -> behind.delete(key, deletion));
        }

        @Override
        public void deleteCollection(String namespace, Deletion deletion) {
            run("deletecollection", new ObjectKey(namespace, "*"), "", deletion,
                    () -> behind.deleteCollection(namespace, deletion));
        }

        @Override
        public void createSubresource(ObjectKey key, String subresource, Object body) {
            run("create", key, subresource, body, () -> behind.createSubresource(key, subresource, body));
        }

        @Override
        public ListPage<T> list(String namespace, LabelSelector labels, FieldSelector fields, ListOptions options) {
            return interceptor.list(type(), model + " " + namespace + " " + labels + " " + fields, options,
                    () -> behind.list(namespace, labels, fields, options));
        }

        @Override
        public ListerWatcher<T> listerWatcher(String namespace, LabelSelector labels, FieldSelector fields) {
            ListerWatcher<T> port = behind.listerWatcher(namespace, labels, fields);
            return new ForwardingListerWatcher<>(port) {
                @Override
                public ListPage<T> list(ListOptions options) {
                    return Resource.this.list(namespace, labels, fields, options);
                }

                @Override
                public WatchStream<T> watch(WatchOptions options) {
                    return interceptor.watch(type(), options, () -> {
                        try {
                            return port.watch(options);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    });
                }
            };
        }
    }
}
