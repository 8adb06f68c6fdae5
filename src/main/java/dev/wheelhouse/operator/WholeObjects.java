package dev.wheelhouse.operator;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceVersions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;

/**
 * The whole objects of a type of which a cache has only a part. An object is read from the server when it is needed,
 * within the deadline of the client, and is kept as long as the cache shows no later version and the bound allows it.
 * Callers must not change the objects. Thread safe.
 */
final class WholeObjects<T extends KubernetesObject> {
    private final ResourceClient<T> client;
    private final Cache<ObjectKey, T> kept;

    WholeObjects(ResourceClient<T> client, CachedContent<T> content) {
        this.client = client;
        Caffeine<Object, Object> bounded = Caffeine.newBuilder().executor(Runnable::run);
        this.kept = content.inBytes()
                ? bounded.maximumWeight(content.kept())
                        .<ObjectKey, T>weigher((key, object) -> ModelJson.writeBytes(object).length).build()
                : bounded.maximumSize(content.kept()).build();
    }

    /**
     * The whole object of a cached one, in its version or a later one; null if there is none of its UID any more.
     *
     * @throws dev.wheelhouse.api.KubeApiException if the read fails
     */
    @Nullable
    T of(T cached) {
        ObjectKey key = ObjectKey.of(cached);
        V1ObjectMeta meta = cached.getMetadata();
        T known = kept.getIfPresent(key);
        if (known == null || !isSame(known, meta)
                || !ResourceVersions.atLeast(known.getMetadata().getResourceVersion(), meta.getResourceVersion())) {
            known = client.find(key).orElse(null);
            if (known == null) {
                kept.invalidate(key);
            } else {
                kept.put(key, known);
            }
        }
        return known != null && isSame(known, meta) ? known : null;
    }

    private static boolean isSame(KubernetesObject object, V1ObjectMeta meta) {
        return Objects.equals(object.getMetadata().getUid(), meta.getUid());
    }
}
