package dev.wheelhouse.operator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * The usual base of a custom resource's class: metadata, spec and status. A subclass has {@link ResourceDefinition} and
 * a constructor without parameters. Spec and status may be records or classes with fields.
 *
 * @param <S> the spec
 * @param <T> the status; {@code Void} for a resource without one
 */
public abstract class CustomResource<S, T> implements KubernetesObject {
    private @Nullable String apiVersion;
    private @Nullable String kind;
    private V1ObjectMeta metadata = new V1ObjectMeta();
    private @Nullable S spec;
    private @Nullable T status;

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

    /** The spec; null if the object has none. */
    public @Nullable S getSpec() {
        return spec;
    }

    public void setSpec(@Nullable S spec) {
        this.spec = spec;
    }

    /** The status; null until a client writes it. */
    public @Nullable T getStatus() {
        return status;
    }

    public void setStatus(@Nullable T status) {
        this.status = status;
    }
}
