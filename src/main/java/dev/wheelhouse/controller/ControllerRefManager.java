package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;

/**
 * Decides which objects a controller owns, adopts and releases (upstream: {@code pkg/controller/controller_ref_manager.go}).
 */
public final class ControllerRefManager {
    private ControllerRefManager() {}

    /**
     * @param owned controlled by it and still matching
     * @param adopt matching orphans, to be adopted after a live check that the controller is not being deleted
     * @param release controlled by it, but no longer matching
     */
    public record Claim<T>(List<T> owned, List<T> adopt, List<T> release) {}

    /**
     * Sorts candidates. Objects of other controllers are never touched; neither are objects or controllers that are being
     * deleted, save that an owned object which is being deleted stays owned.
     */
    public static <T extends KubernetesObject> Claim<T> claim(V1ObjectMeta controller, LabelSelector selector,
            Collection<T> candidates) {
        Claim<T> claim = new Claim<>(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        boolean deleting = controller.getDeletionTimestamp() != null;
        for (T candidate : candidates) {
            V1ObjectMeta meta = candidate.getMetadata();
            V1OwnerReference reference = OwnerReferences.controllerOf(meta);
            boolean matches = selector.matches(meta.getLabels());
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
     * The writes that a claim asks for: adoptions and releases, each tried whatever becomes of the others, and if there is
     * anything to adopt, behind a live check of the controller. Objects that are gone meanwhile are no failure; neither is
     * releasing one that is no longer what it was.
     *
     * @param childType the type of the claimed objects
     * @param ownerType the controller's type
     */
    public static <T extends KubernetesObject> List<Action> actions(Claim<T> claim, ResourceType childType,
            ResourceType ownerType, V1ObjectMeta controller) {
        List<Action> actions = new ArrayList<>();
        ObjectKey owner = ObjectKey.of(controller);
        String name = ownerType.kind() + " " + owner;
        List<Action.Write> writes = new ArrayList<>();
        if (!claim.adopt.isEmpty()) {
            String matches = "it matches the selector of " + name + " and has no controller";
            actions.add(new Action.RequireLive(ownerType, owner, controller.getUid(),
                    "to adopt " + claim.adopt.size() + " " + childType.plural()));
            claim.adopt.forEach(child -> writes.add(patch(childType, child,
                    adoption(child.getMetadata(), ownerType, controller), matches, Set.of(404))));
        }
        String why = "it no longer matches the selector of " + name;
        claim.release.forEach(child -> writes.add(patch(childType, child, release(child.getMetadata(), controller), why,
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

    /** The child's UID in the patch makes the server refuse it for another object of the same name. */
    private static Map<String, Object> adoption(V1ObjectMeta child, ResourceType ownerType, V1ObjectMeta controller) {
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("ownerReferences", List.of(OwnerReferences.controllerReference(ownerType, controller)));
        metadata.put("uid", child.getUid());
        return metadata;
    }

    private static Map<String, Object> release(V1ObjectMeta child, V1ObjectMeta controller) {
        Map<String, Object> reference = new LinkedHashMap<>();
        reference.put("$patch", "delete");
        reference.put("uid", controller.getUid());
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("uid", child.getUid());
        metadata.put("ownerReferences", List.of(reference));
        return metadata;
    }
}
