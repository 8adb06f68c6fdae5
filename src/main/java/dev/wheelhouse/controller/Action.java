package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.PatchType;

/**
 * One thing that a controller has decided to do. A decision is a list of these: data, so that it can be shown (a plan),
 * tested, or carried out by an {@link ActionExecutor}. Every write says why, in the words of the log.
 */
public sealed interface Action {
    /** A write to the API server. */
    sealed interface Write extends Action {
        ResourceType type();

        /** What it is written to, for messages; a generated name shows as its prefix. */
        ObjectKey target();

        String why();

        /** How logs and metrics call it: {@code create}, {@code update_status}, {@code deletecollection}, … */
        default String verb() {
            return switch (this) {
                case Create create -> "create";
                case Update update -> "update";
                case UpdateStatus update -> "update_status";
                case UpdateSubresource update -> "update_" + update.subresource();
                case Patch patch -> "patch";
                case DeleteCollection delete -> "deletecollection";
                case Delete delete -> "delete";
            };
        }
    }

    record Create(ResourceType type, KubernetesObject object, String why) implements Write {
        @Override
        public ObjectKey target() {
            return ObjectKey.ofNew(object);
        }
    }

    /** Replaces an object, at the resource version that it carries. */
    record Update(ResourceType type, KubernetesObject object, String why) implements Write {
        @Override
        public ObjectKey target() {
            return ObjectKey.of(object);
        }
    }

    /** Replaces an object's status, at the resource version that it carries. */
    record UpdateStatus(ResourceType type, KubernetesObject object, String why) implements Write {
        @Override
        public ObjectKey target() {
            return ObjectKey.of(object);
        }
    }

    /** Replaces a subresource that takes the whole object, such as {@code finalize}, at the version that it carries. */
    record UpdateSubresource(ResourceType type, KubernetesObject object, String subresource,
            String why) implements Write {
        @Override
        public ObjectKey target() {
            return ObjectKey.of(object);
        }
    }

    /** Patches an object or a subresource ({@code ""} for the object itself). */
    record Patch(ResourceType type, ObjectKey target, String subresource, PatchType patchType, String body,
            String why, Set<Integer> harmless) implements Write {
        /** @param harmless HTTP codes that count as success: what was wanted is so already, or no longer makes sense */
        public Patch {
            harmless = Set.copyOf(harmless);
        }

        public Patch(ResourceType type, ObjectKey target, String subresource, PatchType patchType, String body,
                String why) {
            this(type, target, subresource, patchType, body, why, Set.of());
        }
    }

    /** Deletes an object; one that is gone already is no failure. */
    record Delete(ResourceType type, ObjectKey target, Deletion deletion, String why) implements Write {}

    /** Deletes every object of a type in a namespace, in one request; a type that cannot answers 405. */
    record DeleteCollection(ResourceType type, String namespace, Deletion deletion, String why) implements Write {
        @Override
        public ObjectKey target() {
            return new ObjectKey(namespace, "*");
        }
    }

    /**
     * Writes that do not depend on each other. What stands behind the batch is done only if all have succeeded.
     *
     * @param slowStart whether they are likely to fail for one reason, such as a quota: they are carried out in batches of 1,
     *     2, 4, …, and a failure skips the rest. Otherwise each is tried, whatever becomes of the others (upstream:
     *     {@code slowStartBatch} for creations, but not for deletions, in {@code pkg/controller/replicaset/replica_set.go})
     */
    record Batch(List<Write> writes, boolean slowStart) implements Action {
        public Batch {
            writes = List.copyOf(writes);
        }

        /** Writes that are likely to fail for one reason. */
        public static Batch slowStart(List<? extends Write> writes) {
            return new Batch(List.copyOf(writes), true);
        }

        /** Writes of which one that fails must not keep the others from being done. */
        public static Batch each(List<? extends Write> writes) {
            return new Batch(List.copyOf(writes), false);
        }
    }

    /**
     * Carries on only if a live read shows that the object still exists with this UID and is not being deleted; adoptions
     * stand behind it (upstream: {@code RecheckDeletionTimestamp} in {@code pkg/controller/controller_ref_manager.go}).
     */
    record RequireLive(ResourceType type, ObjectKey target, String uid, String why) implements Action {}

    /** A Kubernetes Event about an object. @param type {@code Normal} or {@code Warning} */
    record Event(ResourceType regardingType, KubernetesObject regarding, String type, String reason, String message)
            implements
                Action {}

    /** Sync the same key again after a delay, whatever happens meanwhile. */
    record RequeueAfter(Duration delay) implements Action {}
}
