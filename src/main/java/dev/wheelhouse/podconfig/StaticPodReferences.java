package dev.wheelhouse.podconfig;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;

import static dev.wheelhouse.apiserver.json.Json.text;
import static dev.wheelhouse.apiserver.validation.Problems.each;

/**
 * Finds references of a pod to API objects. A static pod must run without an API server, so it may have none (upstream:
 * {@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}). Pure functions.
 */
final class StaticPodReferences {
    /** The types that sources of volumes refer to, by the field. */
    private static final Map<String, String> VOLUMES = Map.of("configMap", "ConfigMaps", "secret", "Secrets",
            "csi", "CSIDrivers", "glusterfs", "Endpoints", "persistentVolumeClaim", "PersistentVolumeClaims",
            "ephemeral", "PersistentVolumeClaims", "azureFile", "Secrets");
    private static final Map<String, String> PROJECTED = Map.of("configMap", "ConfigMaps", "secret", "Secrets",
            "serviceAccountToken", "ServiceAccounts", "clusterTrustBundle", "ClusterTrustBundles",
            "podCertificate", "PodCertificates");
    private static final Map<String, String> VARIABLES = Map.of("configMapRef", "ConfigMaps", "secretRef", "Secrets",
            "configMapKeyRef", "ConfigMaps", "secretKeyRef", "Secrets");
    /** Any source of a volume may have one. */
    private static final Map<String, String> SECRET = Map.of("secretRef", "Secrets");

    private final Problems found = new Problems();

    private StaticPodReferences() {}

    /** The references of a pod's spec, as it is in the manifest. */
    static List<StatusCause> find(JsonNode spec) {
        StaticPodReferences references = new StaticPodReferences();
        references.spec(spec);
        return references.found.causes();
    }

    private void refers(String to, String path) {
        found.add(new StatusCause(path, "FieldValueForbidden", "static pods may not reference " + to
                + ": write what is needed into the manifest or onto the host"));
    }

    /** @param types the types that fields refer to */
    private void fields(JsonNode object, String path, Map<String, String> types) {
        for (String field : object.propertyNames()) {
            String type = types.get(field);
            if (type != null) {
                refers(type, path + "." + field);
            }
        }
    }

    private void spec(JsonNode spec) {
        for (String field : List.of("serviceAccountName", "serviceAccount")) {
            if (!text(spec, field).isEmpty()) {
                refers("the ServiceAccount \"" + text(spec, field) + "\"", "spec." + field);
            }
        }
        if (!spec.path("imagePullSecrets").isEmpty()) {
            refers("Secrets", "spec.imagePullSecrets");
        }
        if (!spec.path("resourceClaims").isEmpty()) {
            refers("ResourceClaims", "spec.resourceClaims");
        }
        for (String list : List.of("initContainers", "containers")) {
            each(spec, "spec", list, (container, at) -> {
                each(container, at, "envFrom", (from, here) -> fields(from, here, VARIABLES));
                each(container, at, "env",
                        (variable, here) -> fields(variable.path("valueFrom"), here + ".valueFrom", VARIABLES));
            });
        }
        each(spec, "spec", "volumes", (volume, at) -> {
            fields(volume, at, VOLUMES);
            volume.properties().forEach(source -> fields(source.getValue(), at + "." + source.getKey(), SECRET));
            each(volume.path("projected"), at + ".projected", "sources",
                    (source, here) -> fields(source, here, PROJECTED));
        });
    }
}
