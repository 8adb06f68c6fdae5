package dev.wheelhouse.controllers.resourceclaim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1PodResourceClaimStatus;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;
import io.kubernetes.client.openapi.models.V1ResourceClaimTemplate;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;

/**
 * Decides which claims a pod gets from templates, and which claims are reserved for it (upstream: {@code syncPod}).
 * Upstream differs in three harmful points. It writes the new claims alone into the pod's status, and so removes the
 * others. It reserves claims for a pod that has ended, and releases them again without end. For an hour, it finds a
 * claim that a user has deleted in its own memory, and does not make it again.
 */
final class PodDecisions {
    private static final String MANAGER = "ResourceClaimController";
    /** A name has 63 characters, of which 6 are generated. */
    private static final int LONGEST_PREFIX = 57;

    private PodDecisions() {}

    /** A claim of a pod that cannot be made or used, in upstream's words. */
    record Problem(V1PodResourceClaim claim, String message) {}

    /** The next write; null if nothing is left to do. A pure function. */
    static Action.@Nullable Write decide(PodView view) {
        if (!Pods.isActive(view.pod()) || isBlocked(view)) {
            return null;
        }
        boolean incomplete = false;
        for (V1PodResourceClaim wanted : PodClaims.of(view.pod())) {
            if (isMissing(view, wanted)) {
                incomplete = true;
                V1ResourceClaimTemplate template = view.templates().get(wanted.getResourceClaimTemplateName());
                if (view.madeFor(wanted) == null) {
                    return template == null ? null : creation(view.pod(), wanted, template);
                }
            }
        }
        return incomplete ? status(view) : reservation(view);
    }

    /** The first reason why the pod does not get on; null if there is none. A pure function. */
    static @Nullable Problem problem(PodView view) {
        V1Pod pod = view.pod();
        if (!Pods.isActive(pod) || isBlocked(view)) {
            return null;
        }
        for (V1PodResourceClaim wanted : PodClaims.of(pod)) {
            String name = wanted.getResourceClaimTemplateName();
            if (isMissing(view, wanted) && view.madeFor(wanted) == null && !view.templates().containsKey(name)) {
                return new Problem(wanted, "resource claim template \"" + name
                        + "\": resourceclaimtemplate.resource.k8s.io \"" + name + "\" not found");
            }
        }
        return null;
    }

    /**
     * Whether the first claim that the pod cannot use is in its status and is not the pod's. A user has to remove it
     * (upstream: {@code podNeedsWork}).
     */
    private static boolean isBlocked(PodView view) {
        return PodClaims.of(view.pod()).stream().filter(wanted -> isMissing(view, wanted)).findFirst()
                .map(wanted -> PodClaims.status(view.pod(), wanted))
                .filter(status -> view.claims().containsKey(status.getResourceClaimName())).isPresent();
    }

    /** Whether a claim from a template is not in the pod's status, or is there and does not exist any more. */
    private static boolean isMissing(PodView view, V1PodResourceClaim wanted) {
        if (wanted.getResourceClaimTemplateName() == null) {
            return false;
        }
        V1PodResourceClaimStatus status = PodClaims.status(view.pod(), wanted);
        if (status == null) {
            return true;
        }
        ResourceV1ResourceClaim claim = view.claims().get(status.getResourceClaimName());
        return status.getResourceClaimName() != null && (claim == null || !PodClaims.isFor(view.pod(), claim));
    }

    private static Action.Write creation(V1Pod pod, V1PodResourceClaim wanted, V1ResourceClaimTemplate template) {
        V1ObjectMeta given = template.getSpec().getMetadata() == null
                ? new V1ObjectMeta()
                : template.getSpec().getMetadata();
        Map<String, String> annotations = new LinkedHashMap<>(Metadata.annotations(given));
        annotations.put(PodView.NAME_IN_POD, wanted.getName());
        V1ObjectMeta owner = pod.getMetadata();
        return new Action.Create(ResourceClaimController.CLAIMS, new ResourceV1ResourceClaim()
                .apiVersion(ResourceClaimController.CLAIMS.apiVersion()).kind(ResourceClaimController.CLAIMS.kind())
                .metadata(new V1ObjectMeta().namespace(owner.getNamespace())
                        .generateName(prefix(owner.getName(), wanted.getName())).labels(given.getLabels())
                        .annotations(annotations).addOwnerReferencesItem(new V1OwnerReference().apiVersion("v1")
                                .kind("Pod").name(owner.getName()).uid(owner.getUid()).controller(true)))
                .spec(template.getSpec().getSpec()), "the pod's claim " + wanted.getName());
    }

    /** Shortens both names in proportion to their lengths. */
    static String prefix(String pod, String claim) {
        String whole = pod + "-" + claim + "-";
        return whole.length() <= LONGEST_PREFIX
                ? whole
                : pod.substring(0, pod.length() * LONGEST_PREFIX / whole.length()) + "-"
                        + claim.substring(0, claim.length() * LONGEST_PREFIX / whole.length());
    }

    private static Action.Write status(PodView view) {
        V1Pod pod = view.pod();
        List<Map<String, String>> statuses = new ArrayList<>();
        for (V1PodResourceClaim wanted : PodClaims.of(pod)) {
            ResourceV1ResourceClaim made = isMissing(view, wanted) ? view.madeFor(wanted) : null;
            String name = made == null ? PodClaims.name(pod, wanted) : made.getMetadata().getName();
            if (wanted.getResourceClaimTemplateName() != null && name != null) {
                statuses.add(Map.of("name", wanted.getName(), "resourceClaimName", name));
            }
        }
        return new Action.Apply(ResourceType.PODS, ObjectKey.of(pod), "status", V1Pod.class, MANAGER, true,
                ModelJson.write(Map.of("apiVersion", "v1", "kind", "Pod", "metadata",
                        Map.of("name", pod.getMetadata().getName(), "namespace", pod.getMetadata().getNamespace(),
                                "uid", pod.getMetadata().getUid()),
                        "status", Map.of("resourceClaimStatuses", statuses))),
                "its claims have been made");
    }

    /**
     * Reserves an allocated claim for a pod that was bound without the scheduler's plugin. A claim that is being
     * deleted takes no further pod: the API server refuses it, and upstream asks again without end.
     */
    private static Action.@Nullable Write reservation(PodView view) {
        V1Pod pod = view.pod();
        if (Pods.node(pod).isEmpty()) {
            return null;
        }
        for (String name : PodClaims.names(pod)) {
            ResourceV1ResourceClaim claim = view.claims().get(name);
            if (claim == null) {
                return null;
            }
            if (PodClaims.isAllocated(claim) && !PodClaims.isDeleting(claim) && PodClaims.consumers(claim).stream()
                    .noneMatch(consumer -> consumer.getUid().equals(pod.getMetadata().getUid()))) {
                ResourceV1ResourceClaim other = ModelJson.copy(claim);
                List<V1ResourceClaimConsumerReference> consumers = new ArrayList<>(PodClaims.consumers(claim));
                consumers.add(new V1ResourceClaimConsumerReference().resource("pods")
                        .name(pod.getMetadata().getName()).uid(pod.getMetadata().getUid()));
                other.getStatus().setReservedFor(consumers);
                return new Action.UpdateStatus(ResourceClaimController.CLAIMS, other,
                        "it is allocated for the pod " + pod.getMetadata().getName());
            }
        }
        return null;
    }
}
