package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.RunRates;

/**
 * The declarations of an operator, as {@link Operator#setup} made them. {@link Setup} explains each one. Immutable.
 *
 * @param others the types that the operator owns or watches, in the order of their declaration
 * @param workers null for the default
 * @param rateOfEach how often each object is reconciled; null for no limit
 * @param rateOfAll how often all objects together are reconciled; null for no limit
 * @param resync zero for never
 * @param statusFields empty for the whole status
 * @param namespaces null for all
 * @param clusters null if the operator works in its own cluster only
 */
record Declaration<P extends KubernetesObject>(String name, String fieldManager, Part<P> primary, PrimaryFacts facts,
        List<Part<?>> others, List<Index<?>> indexes, @Nullable Finalizer<P> finalizer, @Nullable Integer workers,
        RateLimits retryDelays, RunRates.@Nullable Rate rateOfEach, RunRates.@Nullable Rate rateOfAll,
        @Nullable Duration timeout, Duration resync, List<ExternalSource> sources, List<External.Polled<P, ?>> polls,
        List<External.Inbound<?>> inbounds, @Nullable String errorCondition,
        CrdPolicy crd, List<Permission> permissions, List<Adoption<?>> adoptions, Former former,
        Set<String> statusFields, @Nullable NamespaceChoice namespaces, @Nullable ClusterSecrets clusters) {
    enum Role {
        PRIMARY, OWNED, WATCHED, REFERENCED
    }

    /** How the objects of a type that is watched or referenced are related to primary objects. */
    sealed interface Relation<T extends KubernetesObject> {
        /** An object names its primary objects. */
        record Mapped<T extends KubernetesObject>(
                Function<? super T, ? extends Collection<ObjectKey>> keys) implements Relation<T> {}

        /** An object and the caches say which primary objects it concerns at the moment. */
        record Read<T extends KubernetesObject>(
                BiFunction<? super T, ? super CacheReader, ? extends Collection<ObjectKey>> keys)
                implements
                    Relation<T> {}

        /** A primary object names the objects. */
        record Referenced<T extends KubernetesObject, P extends KubernetesObject>(
                Function<? super P, ? extends Collection<ObjectKey>> keys) implements Relation<T> {}
    }

    /**
     * A type that the operator caches.
     *
     * @param model {@link Unstructured} for a type without a class, {@link PartialObjectMetadata} for metadata only
     * @param relation null unless the type is watched or referenced
     * @param namespaces empty for all
     */
    record Part<T extends KubernetesObject>(Role role, ResourceType type, Class<T> model,
            @Nullable Relation<T> relation, Set<String> namespaces,
            LabelSelector labels, FieldSelector fields, ChangeFilter<T> filter, CachedContent<T> content) {
        /** Whether the cache has every object of its namespaces. */
        boolean whole() {
            return labels.isEverything() && fields.isEverything();
        }

        boolean metadataOnly() {
            return model == (Class<?>) PartialObjectMetadata.class;
        }

        /**
         * Whether the operator names the objects by their class; false if it names them by their {@link ResourceType}.
         */
        boolean typed() {
            return !metadataOnly() && model != (Class<?>) Unstructured.class;
        }
    }

    record Index<T extends KubernetesObject>(String name, Class<T> model,
            Function<? super T, ? extends Collection<String>> values) {}

    record Finalizer<P extends KubernetesObject>(String name, Cleanup<P> cleanup) {}

    /** The objects without a controller that the operator may take over. */
    record Adoption<T extends KubernetesObject>(ResourceType type, Class<T> model, Predicate<? super T> which) {
        boolean test(KubernetesObject object) {
            return which.test(model.cast(object));
        }
    }

    /** The names that an earlier version of the operator had: its field managers, and its finalizers. */
    record Former(Set<String> managers, Set<String> finalizers) {}

    /**
     * The API server's answers about types without a class.
     *
     * @param types by the types or names that were declared
     * @param facts about the primary type; null if it was not asked for them
     */
    record Served(Map<ResourceType, ResourceType> types, @Nullable PrimaryFacts facts) {
        static final Served NOTHING = new Served(Map.of(), null);

        ResourceType type(ResourceType declared) {
            return types.getOrDefault(declared, declared);
        }
    }

    record Permission(ResourceType type, List<String> verbs) {}

    /**
     * Runs an operator's {@link Operator#setup}.
     *
     * @throws IllegalArgumentException if the declaration cannot work
     */
    static <P extends KubernetesObject> Declaration<P> of(Operator<P> operator) {
        return of(operator, Served.NOTHING);
    }

    /** @param served the API server's answers */
    static <P extends KubernetesObject> Declaration<P> of(Operator<P> operator, Served served) {
        Setup<P> setup = new Setup<>(operator, served);
        try {
            operator.setup(setup);
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "operator " + operator.getClass().getName() + ": its setup failed: " + e, e);
        }
        return setup.declaration();
    }

    /** Whether the namespaces of a type are those that are chosen for the whole operator. */
    boolean follows(Part<?> part) {
        return namespaces != null && part.type().namespaced() && part.namespaces().isEmpty();
    }

    Stream<Part<?>> parts() {
        return Stream.concat(Stream.of(primary), others.stream());
    }

    /** The definition of the primary type, as the operator's class or the operator has it; empty if neither has one. */
    Optional<V1CustomResourceDefinition> definition() {
        return Optional.ofNullable(facts.definition()).or(() -> Optional.of(primary.model())
                .filter(model -> model.isAnnotationPresent(ResourceDefinition.class)).map(Crds::of));
    }

    /** The declared type that a type means; the type itself if there is none. */
    ResourceType declared(ResourceType type) {
        return parts().map(Part::type).filter(type::means).findFirst().map(ResourceType.class::cast).orElse(type);
    }

    Stream<Part<?>> owned() {
        return others.stream().filter(part -> part.role() == Role.OWNED);
    }
}
