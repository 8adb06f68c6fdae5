package dev.wheelhouse.operator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Appliers;
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
    private final Map<Target, Appliers> read = new HashMap<>();

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
        if (stored.getMetadata().getDeletionTimestamp() != null
                || controller.caches.owner(stored.getMetadata()).contains(key)) {
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
        context.event(EventType.WARNING, REFUSED, String.valueOf(refusal.getMessage()));
        throw refusal;
    }

    /**
     * Whether this operator wrote an object, in this process or in an earlier one. An owner reference is no proof:
     * other clients may set the same owner.
     */
    boolean wrote(Target target, V1ObjectMeta stored) {
        String uid = String.valueOf(stored.getUid());
        Memo memo = controller.applied.get(key, target);
        if (memo != null && memo.uid().equals(uid)) {
            return !memo.equals(Memo.ofOthers(uid));
        }
        if (stored.getAnnotations() != null && isOwnName(stored.getAnnotations().get(CREATED_BY))
                || appliers(target).entries().stream().anyMatch(entry -> isOwnName(entry.manager()))) {
            return true;
        }
        context.run().effect(() -> controller.applied.put(key, target, Memo.ofOthers(uid)));
        return false;
    }

    private boolean isOwnName(@Nullable String manager) {
        return controller.declaration.fieldManager().equals(manager)
                || controller.declaration.former().managers().contains(String.valueOf(manager));
    }

    /** The field managers of an object, read once in a sync; none if the object does not exist. */
    Appliers appliers(Target target) {
        return read.computeIfAbsent(target, asked -> {
            try {
                Appliers appliers = controller.client().metadata(asked.type()).appliers(asked.key());
                controller.renamed(asked, appliers, String.valueOf(context.primary().getMetadata().getUid()));
                return appliers;
            } catch (KubeApiException e) {
                if (e.isNotFound()) {
                    return new Appliers(List.of());
                }
                throw e;
            }
        });
    }

    /** The former names of the operator under which an object that this process sees first has been applied. */
    List<String> formerManagers(Target target, V1ObjectMeta stored) {
        Set<String> former = controller.declaration.former().managers();
        Memo memo = controller.applied.get(key, target);
        boolean known = memo != null && memo.uid().equals(String.valueOf(stored.getUid()));
        return former.isEmpty() || known || !context.run().writes()
                ? List.of()
                : appliers(target).entries().stream().map(Appliers.Entry::manager).filter(former::contains).distinct()
                        .toList();
    }

    private <T extends KubernetesObject> boolean adopts(Part<T> part, T stored) {
        return controller.declaration.adoptions().stream()
                .anyMatch(each -> each.type().equals(part.type()) && each.model() == part.model()
                        && each.test(Objects.requireNonNullElse(controller.caches.whole(part, stored), stored)));
    }
}
