package dev.wheelhouse.operator;

import java.util.Map;
import java.util.Objects;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.operator.Applied.Memo;
import dev.wheelhouse.operator.Applied.Target;
import dev.wheelhouse.operator.Declaration.Part;

/**
 * Tells which existing objects an operator may write and delete for one primary object: those that the primary object
 * controls, and those without a controller that the operator wrote before, such as objects that outlived an earlier
 * primary object of this name, or that it may adopt. For one sync.
 */
final class Ownership<P extends KubernetesObject> {
    /** The annotation of an object that was created once. Its value is the operator's field manager. */
    static final String CREATED_BY = "operator.wheelhouse.dev/created-by";
    /** The reason of an error about an object that belongs to somebody else. */
    static final String REFUSED = "NotOwned";

    private final OperatorController<P> controller;
    private final OperatorContext<P> context;
    private final ObjectKey key;

    Ownership(OperatorController<P> controller, OperatorContext<P> context, ObjectKey key) {
        this.controller = controller;
        this.context = context;
        this.key = key;
    }

    /** @throws KubeApiException if the object belongs to somebody else; an Event about the primary object says so */
    <T extends KubernetesObject> void require(Part<T> part, Target target, T stored) {
        V1OwnerReference holder = OwnerReferences.controllerOf(stored.getMetadata());
        boolean mine = holder != null
                ? Objects.equals(holder.getUid(), context.primary().getMetadata().getUid())
                : wrote(target, stored.getMetadata()) || adopts(part, stored);
        if (mine) {
            return;
        }
        ResourceType primary = controller.declaration.primary().type();
        if (stored.getMetadata().getDeletionTimestamp() != null || holder != null
                && primary.kind().equals(holder.getKind()) && key.name().equals(holder.getName())) {
            throw new KubeApiException("apply " + target.type() + " " + target.key(), 409, "Conflict",
                    "it is being deleted, or belongs to an earlier " + primary.kind() + " " + key
                            + ", with which it will be deleted",
                    null);
        }
        String wanted = "so " + primary.kind() + " " + key + " cannot ";
        KubeApiException refusal = new KubeApiException("apply " + target.type() + " " + target.key(), 422, REFUSED,
                holder != null
                        ? "it is controlled by " + holder.getKind() + " " + holder.getName() + ", " + wanted
                                + "own it: choose another name"
                        : "it exists, and this operator has not made it, " + wanted + "take it: choose another name, "
                                + "delete it, or allow to overwrite and later delete it by setup.adopt("
                                + (part.typed() ? part.model().getSimpleName() + ".class" : "type") + ", …)",
                null);
        context.event(EventType.WARNING, REFUSED, refusal.getMessage() == null ? REFUSED : refusal.getMessage());
        throw refusal;
    }

    /**
     * Whether this operator wrote an object, in this process or in an earlier one. An owner reference is no proof:
     * other clients may set the same owner.
     */
    boolean wrote(Target target, V1ObjectMeta stored) {
        String uid = String.valueOf(stored.getUid());
        String manager = controller.declaration.fieldManager();
        Memo memo = controller.applied.get(key, target);
        if (memo != null && memo.uid().equals(uid)) {
            return !memo.equals(Memo.ofOthers(uid));
        }
        if (manager.equals(Objects.requireNonNullElse(stored.getAnnotations(), Map.of()).get(CREATED_BY))) {
            return true;
        }
        try {
            if (controller.client().metadata(target.type()).appliers(target.key()).contains(manager)) {
                return true;
            }
        } catch (KubeApiException e) {
            if (e.isNotFound()) {
                return false;
            }
            throw e;
        }
        context.run().effect(() -> controller.applied.put(key, target, Memo.ofOthers(uid)));
        return false;
    }

    private <T extends KubernetesObject> boolean adopts(Part<T> part, T stored) {
        return controller.declaration.adoptions().stream()
                .anyMatch(each -> each.type().equals(part.type()) && each.model() == part.model()
                        && each.test(stored));
    }
}
