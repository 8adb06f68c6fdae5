package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;

/**
 * One step that a controller has decided on. A decision is a list of actions. They are data: they can be shown as a
 * plan, tested, or executed by an {@link ActionExecutor}. Every write carries its reason, which the log shows.
 */
public sealed interface Action {
    /** A write to the API server. */
    sealed interface Write extends Action {
        ResourceType type();

        /** The object to write, for messages. A name that the server generates shows as its prefix and a star. */
        ObjectKey target();

        String why();

        /**
         * The name of the write in logs and metrics: {@code create}, {@code update_status}, {@code deletecollection}, …
         */
        default String verb() {
            return switch (this) {
                case Create create -> "create";
                case Update update -> "update";
                case UpdateStatus update -> "update_status";
                case UpdateSubresource update -> "update_" + update.subresource();
                case Patch patch -> patch.subresource().isEmpty() ? "patch" : "patch_" + patch.subresource();
                case Apply apply -> apply.subresource().isEmpty() ? "apply" : "apply_" + apply.subresource();
                case CreateSubresource create -> "create_" + create.subresource();
                case DeleteCollection delete -> "deletecollection";
                case Delete delete -> "delete";
            };
        }
    }

    /** A write of a whole object. */
    sealed interface ObjectWrite extends Write {
        KubernetesObject object();

        @Override
        default ObjectKey target() {
            return ObjectKey.ofNew(object());
        }
    }

    record Create(ResourceType type, KubernetesObject object, String why) implements ObjectWrite {}

    /** Replaces an object; the object's resource version must still be current. */
    record Update(ResourceType type, KubernetesObject object, String why) implements ObjectWrite {}

    /** Replaces an object's status; the object's resource version must still be current. */
    record UpdateStatus(ResourceType type, KubernetesObject object, String why) implements ObjectWrite {}

    /**
     * Replaces a subresource that takes the whole object, such as {@code finalize}, or a {@code V1Scale}; the resource
     * version must still be current.
     */
    record UpdateSubresource(ResourceType type, KubernetesObject object, String subresource,
            String why) implements ObjectWrite {}

    /**
     * Patches an object, or a subresource if {@code subresource} is not empty.
     *
     * @param harmless HTTP status codes that count as success, because the wanted state holds already or no longer
     *     matters
     * @param model the class in which the answer is wanted; null if only its metadata matters
     */
    record Patch(ResourceType type, ObjectKey target, String subresource, PatchType patchType, String body,
            String why, Set<Integer> harmless, @Nullable Class<? extends KubernetesObject> model) implements Write {
        public Patch {
            harmless = Set.copyOf(harmless);
        }

        public Patch(ResourceType type, ObjectKey target, String subresource, PatchType patchType, String body,
                String why, Set<Integer> harmless) {
            this(type, target, subresource, patchType, body, why, harmless, null);
        }

        public Patch(ResourceType type, ObjectKey target, String subresource, PatchType patchType, String body,
                String why) {
            this(type, target, subresource, patchType, body, why, Set.of());
        }
    }

    /**
     * Applies a configuration server-side.
     *
     * @param model the class of the object
     * @param force whether to take over fields that another manager has set to another value
     * @param body the configuration, JSON
     */
    record Apply(ResourceType type, ObjectKey target, String subresource, Class<? extends KubernetesObject> model,
            String fieldManager, boolean force, String body, String why) implements Write {}

    /** Creates a subresource, such as {@code pods/eviction}. */
    record CreateSubresource(ResourceType type, ObjectKey target, String subresource, Object body,
            String why) implements Write {}

    /** Deletes an object. If it does not exist, the delete counts as success. */
    record Delete(ResourceType type, ObjectKey target, Deletion deletion, String why) implements Write {}

    /** Deletes all objects of a type in a namespace with one request. A type without this verb returns status 405. */
    record DeleteCollection(ResourceType type, String namespace, Deletion deletion, String why) implements Write {
        @Override
        public ObjectKey target() {
            return new ObjectKey(namespace, "*");
        }
    }

    /**
     * Writes that do not depend on each other. The actions after the batch are executed only if all its writes succeed.
     *
     * @param slowStart true if the writes are likely to fail for the same reason, such as a quota. They are then sent
     *     in batches of 1, 2, 4, …, and a failure skips the rest. If false, every write is tried, whether or not others
     *     fail (upstream: {@code slowStartBatch} for creations, but not for deletions, in
     *     {@code pkg/controller/replicaset/replica_set.go})
     */
    record Batch(List<Write> writes, boolean slowStart) implements Action {
        public Batch {
            writes = List.copyOf(writes);
        }

        /** A batch of writes that are likely to fail for the same reason. */
        public static Batch slowStart(List<? extends Write> writes) {
            return new Batch(List.copyOf(writes), true);
        }

        /** A batch of writes that are all tried, whether or not others fail. */
        public static Batch each(List<? extends Write> writes) {
            return new Batch(List.copyOf(writes), false);
        }
    }

    /**
     * Continues only if a live read shows that the object still exists with this UID and is not being deleted. It
     * precedes adoptions (upstream: {@code RecheckDeletionTimestamp} in
     * {@code pkg/controller/controller_ref_manager.go}).
     */
    record RequireLive(ResourceType type, ObjectKey target, String uid, String why) implements Action {}

    /**
     * Continues only if a live read shows that no object with this UID exists. It precedes writes that would be wrong
     * if the cache were older than the object.
     */
    record RequireGone(ResourceType type, ObjectKey target, String uid, String why) implements Action {}

    /**
     * Records a Kubernetes Event about an object.
     * @param type {@code Normal} or {@code Warning}
     */
    record Event(ResourceType regardingType, KubernetesObject regarding, String type, String reason, String message)
            implements
                Action {}

    /** Says that further actions are left out until an object is in another state. Nothing is done. */
    record Wait(ResourceType type, ObjectKey target, String why) implements Action {}

    /** Syncs the same key again after a delay. A sync before that time does not cancel this one. */
    record RequeueAfter(Duration delay) implements Action {}
}
