package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.OwnerReferences;

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
}
