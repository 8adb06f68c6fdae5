package dev.wheelhouse.podconfig;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.facts.PodReferences;

/**
 * Finds references of a pod to API objects. A static pod must run without an API server, so it may have none (upstream:
 * {@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}). Pure functions.
 */
final class StaticPodReferences {
    private static final Map<String, String> SHOWN = Map.of("configmaps", "ConfigMaps", "secrets", "Secrets",
            "csidrivers", "CSIDrivers", "endpoints", "Endpoints", "persistentvolumeclaims", "PersistentVolumeClaims",
            "serviceaccounts", "ServiceAccounts", "clustertrustbundles", "ClusterTrustBundles", "podcertificates",
            "PodCertificates", "resourceclaims.resource.k8s.io", "ResourceClaims");

    private StaticPodReferences() {}

    /** The references of a pod, as it is in the manifest. */
    static List<StatusCause> find(JsonNode pod) {
        Problems found = new Problems();
        PodReferences.of(pod).stream().map(reference -> new StatusCause(reference.path(), "FieldValueForbidden",
                "static pods may not reference " + (reference.path().startsWith("spec.serviceAccount")
                        ? "the ServiceAccount \"" + reference.name() + "\""
                        : SHOWN.get(reference.resource()))
                        + ": write what is needed into the manifest or onto the host"))
                .distinct().forEach(found::add);
        return found.causes();
    }
}
