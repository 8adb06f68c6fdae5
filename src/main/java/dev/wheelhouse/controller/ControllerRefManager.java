package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.ActionExecutor.Outcome;

/**
 * Decides which objects a controller owns, adopts and releases (upstream:
 * {@code pkg/controller/controller_ref_manager.go}).
 */
public final class ControllerRefManager {
    private ControllerRefManager() {}

    /**
     * The claim of a controller on candidate objects.
     *
     * @param owned objects with a reference to the controller that match its selector
     * @param adopt matching objects without a controller; before their adoption a live read must show that the
     *     controller is not being deleted
     * @param release objects with a reference to the controller that no longer match
     */
    public record Claim<T extends KubernetesObject>(List<T> owned, List<T> adopt, List<T> release) {
        /** The objects that were adopted. One that was deleted before its adoption is not. */
        public List<T> adopted(Outcome writes) {
            Set<ObjectKey> done = adopt.isEmpty() ? Set.of() : writes.done();
            return adopt.stream().filter(object -> done.contains(ObjectKey.of(object))).toList();
        }
    }

    /**
     * Sorts candidates into a claim. Objects of other controllers are left out. A controller that is being deleted
     * adopts and releases nothing, and an object that is being deleted is not adopted; but a matching object stays
     * owned in both cases.
     */
    public static <T extends KubernetesObject> Claim<T> claim(V1ObjectMeta controller, LabelSelector selector,
            Collection<T> candidates) {
        return claim(controller, candidate -> selector.matches(candidate.getMetadata().getLabels()), candidates);
    }

    /** The same for a controller that selects its objects not by their labels alone. */
    public static <T extends KubernetesObject> Claim<T> claim(V1ObjectMeta controller, Predicate<T> selects,
            Collection<T> candidates) {
        Claim<T> claim = new Claim<>(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        boolean deleting = controller.getDeletionTimestamp() != null;
        for (T candidate : candidates) {
            V1ObjectMeta meta = candidate.getMetadata();
            V1OwnerReference reference = OwnerReferences.controllerOf(meta);
            boolean matches = selects.test(candidate);
            if (reference != null) {
                if (!reference.getUid().equals(controller.getUid())) {
                    continue;
                }
                if (matches) {
                    claim.owned.add(candidate);
                } else if (!deleting) {
                    claim.release.add(candidate);
                }
            } else if (matches && !deleting && meta.getDeletionTimestamp() == null) {
                claim.adopt.add(candidate);
            }
        }
        return claim;
    }

    /**
     * The writes for a claim: all adoptions and releases are tried, whether or not others fail. If there are adoptions,
     * a live check of the controller precedes them. Adopting or releasing an object that no longer exists counts as
     * success; so does releasing an object whose UID has changed.
     *
     * @param childType the type of the claimed objects
     * @param ownerType the controller's type
     * @param finalizers finalizers that an adopted object gets and a released one loses
     */
    public static <T extends KubernetesObject> List<Action> actions(Claim<T> claim, ResourceType childType,
            ResourceType ownerType, V1ObjectMeta controller, String... finalizers) {
        List<Action> actions = new ArrayList<>();
        ObjectKey owner = ObjectKey.of(controller);
        String name = ownerType.kind() + " " + owner;
        List<Action.Write> writes = new ArrayList<>();
        if (!claim.adopt.isEmpty()) {
            String matches = "it matches the selector of " + name + " and has no controller";
            actions.add(new Action.RequireLive(ownerType, owner, controller.getUid(),
                    "to adopt " + claim.adopt.size() + " " + childType.plural()));
            claim.adopt.forEach(child -> writes.add(patch(childType, child,
                    adoption(child.getMetadata(), ownerType, controller, finalizers), matches, Set.of(404))));
        }
        String why = "it no longer matches the selector of " + name;
        claim.release.forEach(
                child -> writes.add(patch(childType, child, release(child.getMetadata(), controller, finalizers), why,
                        Set.of(404, 422))));
        if (!writes.isEmpty()) {
            actions.add(Action.Batch.each(writes));
        }
        return actions;
    }

    private static Action.Write patch(ResourceType type, KubernetesObject child, Map<String, Object> metadata,
            String why, Set<Integer> harmless) {
        return new Action.Patch(type, ObjectKey.of(child), "", PatchType.STRATEGIC_MERGE,
                ModelJson.write(Map.of("metadata", metadata)), why, harmless);
    }

    /** The patch contains the child's UID, so that the server rejects it for another object of the same name. */
    private static Map<String, Object> adoption(V1ObjectMeta child, ResourceType ownerType, V1ObjectMeta controller,
            String... finalizers) {
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("ownerReferences", List.of(OwnerReferences.controllerReference(ownerType, controller)));
        metadata.put("uid", child.getUid());
        if (finalizers.length > 0) {
            metadata.put("finalizers", finalizers);
        }
        return metadata;
    }

    private static Map<String, Object> release(V1ObjectMeta child, V1ObjectMeta controller, String... finalizers) {
        Map<String, Object> reference = new LinkedHashMap<>();
        reference.put("$patch", "delete");
        reference.put("uid", controller.getUid());
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("uid", child.getUid());
        metadata.put("ownerReferences", List.of(reference));
        if (finalizers.length > 0) {
            metadata.put("$deleteFromPrimitiveList/finalizers", finalizers);
        }
        return metadata;
    }
}
