package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Function;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;

/**
 * Collects the declarations of an operator. Everything has a default. Each method returns this object. A declaration
 * that cannot work throws an {@code IllegalArgumentException}, which names the operator and the remedy. Only
 * {@link Operator#setup} may use it, on its own thread.
 */
public interface Setup<P extends KubernetesObject> {
    /**
     * The operator's name, in logs, metrics, options and Events. The default comes from the class:
     * {@code WebsiteOperator} is {@code website-operator}. It must be unique in a process.
     */
    Setup<P> name(String name);

    /** The field manager of the operator's writes. The default is its name. */
    Setup<P> fieldManager(String name);

    /** Limits which primary objects are cached, and which of their changes lead to a reconciliation. */
    Setup<P> primary(Consumer<Watched<P>> limits);

    /**
     * A primary object may own objects of this class. A change of such an object reconciles the primary object that its
     * controller reference names.
     */
    default <T extends KubernetesObject> Setup<P> owns(Class<T> type) {
        return owns(type, all -> {});
    }

    /** The same, with limits. */
    <T extends KubernetesObject> Setup<P> owns(Class<T> type, Consumer<Watched<T>> limits);

    /** The same for a type without a class. */
    Setup<P> owns(ResourceType type, Consumer<Watched<Unstructured>> limits);

    /**
     * A change of an object of this class reconciles the primary objects that the mapping names. The mapping sees the
     * object as it was and as it is, from the cache: it must not change the object, and must not block. An object for
     * which it throws concerns no primary object, and the failure is logged.
     */
    default <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping) {
        return watches(type, mapping, all -> {});
    }

    /** The same, with limits. */
    <T extends KubernetesObject> Setup<P> watches(Class<T> type,
            Function<? super T, ? extends Collection<ObjectKey>> mapping, Consumer<Watched<T>> limits);

    /** The same for a type without a class. */
    Setup<P> watches(ResourceType type, Function<? super Unstructured, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<Unstructured>> limits);

    /** The same, but only the objects' metadata is read and cached. */
    Setup<P> watchesMetadata(ResourceType type,
            Function<? super PartialObjectMetadata, ? extends Collection<ObjectKey>> mapping,
            Consumer<Watched<PartialObjectMetadata>> limits);

    /**
     * An index of a declared class, for {@link Context#indexed}.
     *
     * @param name unique in the operator
     * @param values the values under which an object is found. It gets the cached object, must not change it, and must
     *     not block. An object for which it throws is left out of the index, and the failure is logged
     */
    <T extends KubernetesObject> Setup<P> index(String name, Class<T> type,
            Function<? super T, ? extends Collection<String>> values);

    /**
     * Every primary object gets this finalizer before it is reconciled. When the object is being deleted, the clean-up
     * runs until it returns {@code Result.done()}; then the finalizer is removed.
     *
     * @param name a qualified name, such as {@code example.com/website}
     */
    Setup<P> finalizer(String name, Cleanup<P> cleanup);

    /**
     * The number of objects that are reconciled at the same time. The default is 5. The service's options override it.
     */
    Setup<P> workers(int workers);

    /**
     * The delays between failures of one object: they double from the shortest to the longest. The default is from 5 ms
     * to 1000 s.
     */
    Setup<P> rateLimits(Duration shortest, Duration longest);

    /**
     * The time limit of a reconciliation. One that takes longer is interrupted and counts as failed. The default is no
     * limit.
     */
    Setup<P> timeout(Duration timeout);

    /** Reconciles every primary object again after this time, whether or not anything changed. The default is never. */
    Setup<P> resync(Duration period);

    /** Adds a source of events outside of the cluster. */
    Setup<P> source(ExternalSource source);

    /**
     * A failed reconciliation sets this condition to {@code False}, with the error as its message; the next success
     * sets it to {@code True}. A conflict with another client's write is no failure. The status must have
     * {@code conditions}.
     */
    Setup<P> errorCondition(String type);

    /** The policy for the primary type's CustomResourceDefinition. The default is {@link CrdPolicy#WAIT}. */
    Setup<P> crd(CrdPolicy policy);

    /**
     * Adds rights to the generated roles, for calls that the declarations do not show.
     *
     * @param verbs such as {@code get}, {@code list}
     */
    Setup<P> permission(ResourceType type, String... verbs);
}
