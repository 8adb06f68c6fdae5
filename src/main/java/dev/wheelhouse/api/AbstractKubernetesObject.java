package dev.wheelhouse.api;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/** The fields that every object has (upstream: {@code TypeMeta} and {@code ObjectMeta}). */
@PublicApi
public abstract class AbstractKubernetesObject implements KubernetesObject {
    private @Nullable String apiVersion;
    private @Nullable String kind;
    private V1ObjectMeta metadata = new V1ObjectMeta();

    @Override
    public @Nullable String getApiVersion() {
        return apiVersion;
    }

    public void setApiVersion(@Nullable String apiVersion) {
        this.apiVersion = apiVersion;
    }

    @Override
    public @Nullable String getKind() {
        return kind;
    }

    public void setKind(@Nullable String kind) {
        this.kind = kind;
    }

    @Override
    public V1ObjectMeta getMetadata() {
        return metadata;
    }

    public void setMetadata(V1ObjectMeta metadata) {
        this.metadata = metadata;
    }
}
