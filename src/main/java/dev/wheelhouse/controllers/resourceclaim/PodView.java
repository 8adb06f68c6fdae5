package dev.wheelhouse.controllers.resourceclaim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1ResourceClaimTemplate;

import dev.wheelhouse.api.Metadata;

/**
 * A pod with claims. A pure value.
 *
 * @param claims the claims that the pod names, by name
 * @param made the claims that were made for the pod
 * @param templates the templates that the pod names, by name
 */
record PodView(V1Pod pod, Map<String, ResourceV1ResourceClaim> claims, List<ResourceV1ResourceClaim> made,
        Map<String, V1ResourceClaimTemplate> templates) {
    /** The annotation of a claim from a template: the name of the claim in the pod's spec. */
    static final String NAME_IN_POD = "resource.kubernetes.io/pod-claim-name";

    /** The claim that was made from a template and may not be in the pod's status yet. */
    @Nullable
    ResourceV1ResourceClaim madeFor(V1PodResourceClaim wanted) {
        return made.stream()
                .filter(claim -> wanted.getName().equals(Metadata.annotation(claim, NAME_IN_POD)))
                .min(Comparator.comparing(claim -> claim.getMetadata().getName())).orElse(null);
    }

    /** The view after a write of this sync. */
    PodView after(KubernetesObject written) {
        if (written instanceof V1Pod other) {
            Map<String, ResourceV1ResourceClaim> all = new HashMap<>(claims);
            made.forEach(claim -> all.put(claim.getMetadata().getName(), claim));
            return new PodView(other, all, made, templates);
        }
        ResourceV1ResourceClaim claim = (ResourceV1ResourceClaim) written;
        Map<String, ResourceV1ResourceClaim> all = new HashMap<>(claims);
        List<ResourceV1ResourceClaim> own = new ArrayList<>(made);
        if (all.replace(claim.getMetadata().getName(), claim) == null) {
            own.add(claim);
        }
        return new PodView(pod, all, own, templates);
    }
}
