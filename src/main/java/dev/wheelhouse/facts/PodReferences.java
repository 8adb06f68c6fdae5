package dev.wheelhouse.facts;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import tools.jackson.databind.JsonNode;

/**
 * The objects in its own namespace that a pod names (upstream: {@code pkg/api/pod/util.go}, {@code AddPod} in
 * {@code plugin/pkg/auth/authorizer/node/graph.go}).
 */
public final class PodReferences {
    private static final String CONFIG_MAPS = "configmaps";
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final String RESOURCE_CLAIMS = "resourceclaims.resource.k8s.io";
    /** The fields of variables and volumes that name ConfigMaps. */
    private static final Map<String, List<String>> OF_CONTAINERS = Map.of("envFrom", List.of("configMapRef"), "env",
            List.of("valueFrom", "configMapKeyRef"));

    private PodReferences() {}

    /**
     * Visits each reference: the resource, as {@code secrets} or {@code resourceclaims.resource.k8s.io}, and the name.
     * A reference to a claim that a controller has yet to make has no name, and is left out.
     */
    public static void visit(JsonNode pod, BiConsumer<String, String> visitor) {
        BiConsumer<String, JsonNode> found = (resource, name) -> {
            if (!name.asString("").isEmpty()) {
                visitor.accept(resource, name.asString());
            }
        };
        JsonNode spec = pod.path("spec");
        found.accept("serviceaccounts", spec.path("serviceAccountName"));
        PodSecrets.visit(spec, name -> visitor.accept("secrets", name));
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : spec.path(list)) {
                OF_CONTAINERS.forEach((field, path) -> container.path(field).forEach(variable -> found
                        .accept(CONFIG_MAPS, path.stream().reduce(variable, JsonNode::path, (a, b) -> b)
                                .path("name"))));
            }
        }
        for (JsonNode volume : spec.path("volumes")) {
            found.accept(CONFIG_MAPS, volume.path("configMap").path("name"));
            volume.path("projected").path("sources")
                    .forEach(source -> found.accept(CONFIG_MAPS, source.path("configMap").path("name")));
            found.accept(CLAIMS, volume.path("persistentVolumeClaim").path("claimName"));
            if (volume.path("ephemeral").isObject()) {
                visitor.accept(CLAIMS, pod.path("metadata").path("name").asString("") + "-"
                        + volume.path("name").asString(""));
            }
        }
        JsonNode status = pod.path("status");
        for (JsonNode claims : List.of(spec.path("resourceClaims"), status.path("resourceClaimStatuses"))) {
            claims.forEach(claim -> found.accept(RESOURCE_CLAIMS, claim.path("resourceClaimName")));
        }
        found.accept(RESOURCE_CLAIMS, status.path("extendedResourceClaimStatus").path("resourceClaimName"));
    }
}
