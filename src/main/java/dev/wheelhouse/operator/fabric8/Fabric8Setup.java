package dev.wheelhouse.operator.fabric8;

import java.util.Collection;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.operator.CrdPolicy;
import dev.wheelhouse.operator.ResourceTypes;
import dev.wheelhouse.operator.Setup;

/**
 * The declarations of an operator of fabric8's classes. Its methods are those of {@link Setup}, which explains them,
 * for all that names a class; {@link #plain} has the others. Each method but that returns this object.
 */
public final class Fabric8Setup<P extends HasMetadata> {
    private final Setup<Unstructured> plain;
    private final Class<P> model;
    private final @Nullable V1CustomResourceDefinition definition;

    Fabric8Setup(Setup<Unstructured> plain, Class<P> model) {
        this.plain = plain;
        this.model = model;
        this.definition = Fabric8.definition(model);
        if (definition != null && ResourceTypes.of(definition).equals(Fabric8.type(model))) {
            plain.primary(definition);
        } else {
            plain.primary(Fabric8.type(model));
        }
    }

    /** The declarations that name no class: name, limits, finalizer, retries and so on. Objects are trees in them. */
    public Setup<Unstructured> plain() {
        return plain;
    }

    /** The class of objects that a primary object may own: {@link Setup#owns(Class)}. */
    public <T extends HasMetadata> Fabric8Setup<P> owns(Class<T> type) {
        plain.owns(Fabric8.type(type), all -> {});
        return this;
    }

    /** {@link Setup#watches} of a class. The mapping is handed an object of its own. */
    public <T extends HasMetadata> Fabric8Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping) {
        plain.watches(Fabric8.type(type), tree -> mapping.apply(Fabric8.read(tree, type)), all -> {});
        return this;
    }

    /** {@link Setup#references} of a class. The function is handed an object of its own. */
    public <T extends HasMetadata> Fabric8Setup<P> references(Class<T> type,
            Function<? super P, ? extends Collection<ObjectKey>> keys) {
        plain.references(Fabric8.type(type), tree -> keys.apply(Fabric8.read(tree, model)), all -> {});
        return this;
    }

    /** {@link Setup#adopt} of a class. The condition is handed an object of its own. */
    public <T extends HasMetadata> Fabric8Setup<P> adopt(Class<T> type, Predicate<? super T> which) {
        plain.adopt(Fabric8.type(type), tree -> which.test(Fabric8.read(tree, type)));
        return this;
    }

    /**
     * The policy for the definition that fabric8's generator has written for the primary class, in
     * {@code META-INF/fabric8} of the class path. The class is of the version that it stores.
     *
     * @throws IllegalArgumentException if it is not there, or stores another version
     */
    public Fabric8Setup<P> crd(CrdPolicy policy) {
        if (definition == null && policy != CrdPolicy.WAIT) {
            throw new IllegalArgumentException("the policy " + policy + " needs " + Fabric8.fileOf(model)
                    + " on the class path: let fabric8's crd-generator-maven-plugin write it, or declare WAIT");
        }
        plain.crd(policy);
        return this;
    }
}
