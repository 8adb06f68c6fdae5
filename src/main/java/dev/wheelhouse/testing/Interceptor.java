package dev.wheelhouse.testing;

import java.util.function.Supplier;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;

/**
 * Intercepts the calls of a client. It may observe, refuse or delay a call, or change its result.
 */
public interface Interceptor {
    default <R> R write(WriteRequest request, Supplier<R> call) {
        return call.get();
    }

    default <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        return call.get();
    }

    default <T> ListPage<T> list(ResourceType type, String scope, ListOptions options, Supplier<ListPage<T>> call) {
        return call.get();
    }

    default <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
        return call.get();
    }

    default KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        return call.get();
    }
}
