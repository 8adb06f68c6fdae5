package dev.wheelhouse.operator;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.AbstractKubernetesObject;

/**
 * The usual base of a custom resource's class: metadata, spec and status. A subclass has {@link ResourceDefinition} and
 * a constructor without parameters. Spec and status may be records or classes with fields.
 *
 * @param <S> the spec
 * @param <T> the status; {@code Void} for a resource without one
 */
public abstract class CustomResource<S, T> extends AbstractKubernetesObject {
    private @Nullable S spec;
    private @Nullable T status;

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
