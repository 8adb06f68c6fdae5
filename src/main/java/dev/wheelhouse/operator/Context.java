package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ObjectClient;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.meters.Meters;

/**
 * The reads and writes of one reconciliation. All reads but those of {@link #live} are from caches, and return copies.
 * All writes are refused once this process does not lead any more, and only planned and logged while the service
 * observes. A failed request throws {@link dev.wheelhouse.api.KubeApiException}. A read or an apply of a type that the
 * operator did not declare throws {@code IllegalArgumentException}, which names the declaration to add. Only the thread
 * of the reconciliation may use it, until the reconciliation returns. Do not implement it: later versions add methods.
 */
public interface Context<P extends KubernetesObject> extends CacheReader {
    /** The objects that belong to the primary object. */
    Related related();

    /**
     * Reads the caches without copies, for a reconciliation over thousands of objects. These are the cached objects
     * themselves, which must not be changed. They share their parts with others; a test with a simulation names who
     * changed one. Of a type with a bound, or with metadata only, they have the metadata, and nothing is read.
     */
    CacheReader view();

    /**
     * Applies an object server-side, with the operator's field manager and the primary object as its controller. Sends
     * no request if the apply would change nothing. An existing object of this name that the operator has not made is
     * left alone, unless {@link Setup#adopt} allows to take it.
     *
     * @return the object as stored; while the service observes, the stored object, or a copy of the wanted one if there
     *     is none
     * @throws IllegalArgumentException if the object has no name, or the primary object cannot own it; the message
     *     names the object and the remedy
     * @throws dev.wheelhouse.api.KubeApiException with the reason {@code NotOwned} if the object belongs to somebody
     *     else. An Event about the primary object says so, too
     */
    <T extends KubernetesObject> T apply(T desired);

    /**
     * Creates an object with the primary object as its controller, if there is none with its name. An object that
     * exists is never changed: use it for generated passwords, immutable Jobs and the like. If another process creates
     * the object at the same time, this one gets that one's.
     *
     * @return the object as stored, which may have other values; while the service observes, a copy of the wanted one
     *     if there is none
     * @throws dev.wheelhouse.api.KubeApiException as {@link #apply}
     */
    <T extends KubernetesObject> T createOnce(T object);

    /**
     * Applies an object as {@link #apply} does, but without an owner: it outlives the primary object, and
     * {@link #prune} leaves it. It may be in any namespace, or in none. Its type must be declared; for a type that is
     * only watched, {@link Setup#needsRights} adds the right to patch.
     */
    <T extends KubernetesObject> T applyUnowned(T desired);

    /** Deletes the objects of the owned types that this operator wrote before, except the given ones. */
    void prune(List<? extends KubernetesObject> kept);

    /**
     * Deletes an object and, in the background, the objects that it owns. A missing object counts as deleted. The
     * object's namespace is the primary object's unless it has one.
     */
    void delete(KubernetesObject object);

    /**
     * Writes the status of the primary object, if it changes. Its conditions are merged with the stored ones by their
     * types, and keep their transition time while their status stays the same.
     *
     * @param status an object that becomes {@code status} in JSON
     * @throws IllegalArgumentException if the class of the primary object has no status
     */
    void status(Object status);

    /** Sets one condition of the primary object's status, if it changes. */
    default void condition(String type, boolean status, String reason, String message) {
        condition(type, ConditionStatus.of(status), reason, message);
    }

    /** The same, also for a status that the operator does not know. */
    void condition(String type, ConditionStatus status, String reason, String message);

    /**
     * Records an Event about the primary object.
     *
     * @param reason one word in camel case
     */
    void event(EventType type, String reason, String message);

    /**
     * Executes a decision in this order: the objects, pruning, the status, Events. The first failure ends it. A step
     * that has to wait leaves out the later steps and pruning.
     *
     * @return when to reconcile again; {@code Result.done()} only if nothing is waited for
     */
    Result execute(Decision decision);

    /**
     * Reads and writes of the API server itself, for what the caches do not show. The next reconciliation of this
     * primary object waits until the caches show these writes, if the type was declared.
     */
    <T extends KubernetesObject> ObjectClient<T> live(Class<T> type);

    /** The same for a type without a class. */
    ObjectClient<Unstructured> live(ResourceType type);

    /**
     * The registry for meters of the operator's own, which get the tag {@code controller} with its name. It counts
     * nothing while the service observes.
     */
    default MeterRegistry meters() {
        return Meters.NONE;
    }

    /** The names of the other clusters ({@link Setup#clusters}) that are connected at the moment, sorted. */
    Set<String> clusters();

    /**
     * Another cluster.
     *
     * @throws dev.wheelhouse.api.KubeApiException with the code 503 if it is not connected. When it is, all primary
     *     objects are reconciled
     */
    ClusterContext cluster(String name);

    /** The time. With a manual clock in tests it advances by hand. */
    Instant now();
}
