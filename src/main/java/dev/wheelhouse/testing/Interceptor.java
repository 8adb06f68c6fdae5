package dev.wheelhouse.testing;

import java.util.Map;
import java.util.function.Supplier;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * Intercepts the calls of a client. It may observe, refuse or delay a call, or change its result. Each method gets the
 * call and returns its result; the default makes the call. The threads of the client's users call it.
 */
@PublicApi(false)
public interface Interceptor {
    /** A creation, update, patch, apply or deletion. */
    default <R> R write(WriteRequest request, Supplier<R> call) {
        return call.get();
    }

    /** The read of one object or of a subresource. */
    default <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        return call.get();
    }

    /** The read of a subresource, such as {@code scale}; by default a read as any other. */
    default <R> R getSubresource(ResourceType type, ObjectKey key, String subresource, Supplier<R> call) {
        return get(type, key, call);
    }

    /** @param scope the model, the namespace and the selectors of the list, as one text */
    default <T> ListPage<T> list(ResourceType type, String scope, ListOptions options, Supplier<ListPage<T>> call) {
        return call.get();
    }

    /** The opening of a watch. The result may stand for the stream, to change its events. */
    default <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
        return call.get();
    }

    /** The read of a path, such as that of a metric. */
    default JsonNode read(String path, Map<String, String> query, Supplier<JsonNode> call) {
        return call.get();
    }

    /** The read of discovery. */
    default KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        return call.get();
    }
}
