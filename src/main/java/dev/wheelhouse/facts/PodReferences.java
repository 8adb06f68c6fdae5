package dev.wheelhouse.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

/**
 * The API objects that a pod names (upstream: {@code VisitPodSecretNames}, {@code VisitPodConfigmapNames} and
 * {@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}). Pure functions.
 */
public final class PodReferences {
    private static final String SECRETS = "secrets";
    private static final String CONFIG_MAPS = "configmaps";
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final String RESOURCE_CLAIMS = "resourceclaims.resource.k8s.io";
    /** By the name of a field whose value is an object, wherever it is in a spec: the resource that it refers to. */
    private static final Map<String, String> FIELDS = Map.ofEntries(Map.entry("secretRef", SECRETS),
            Map.entry("secretKeyRef", SECRETS), Map.entry("secret", SECRETS), Map.entry("azureFile", SECRETS),
            Map.entry("nodePublishSecretRef", SECRETS), Map.entry("nodeStageSecretRef", SECRETS),
            Map.entry("nodeExpandSecretRef", SECRETS), Map.entry("configMapRef", CONFIG_MAPS),
            Map.entry("configMapKeyRef", CONFIG_MAPS), Map.entry("configMap", CONFIG_MAPS),
            Map.entry("persistentVolumeClaim", CLAIMS), Map.entry("ephemeral", CLAIMS),
            Map.entry("serviceAccountToken", "serviceaccounts"), Map.entry("csi", "csidrivers"),
            Map.entry("glusterfs", "endpoints"), Map.entry("clusterTrustBundle", "clustertrustbundles"),
            Map.entry("podCertificate", "podcertificates"));
    /** The fields that name an object in a reference to it. */
    private static final List<String> NAMES = List.of("secretName", "claimName", "driver", "endpoints", "name");

    private PodReferences() {}

    /**
     * A reference to an object.
     *
     * @param path of the field, such as {@code spec.volumes[0].secret}
     * @param resource as {@code secrets} or {@code resourceclaims.resource.k8s.io}
     * @param name empty if the reference names no object, such as that to a token of the pod's own account
     * @param source the value of the field
     */
    public record Reference(String path, String resource, String name, JsonNode source) {}

    /** The references of a pod. */
    public static List<Reference> of(JsonNode pod) {
        JsonNode spec = pod.path("spec");
        List<Reference> found = new ArrayList<>();
        Stream.of("serviceAccountName", "serviceAccount").filter(field -> !spec.path(field).asString("").isEmpty())
                .forEach(field -> found.add(
                        new Reference("spec." + field, "serviceaccounts", spec.path(field).asString(), spec)));
        spec.path("imagePullSecrets").forEach(pull -> found.add(of("spec.imagePullSecrets", SECRETS, pull)));
        JsonNode status = pod.path("status");
        Stream.of(spec.path("resourceClaims").valueStream(), status.path("resourceClaimStatuses").valueStream(),
                Stream.of(status.path("extendedResourceClaimStatus")).filter(JsonNode::isObject)).flatMap(each -> each)
                .forEach(claim -> found.add(new Reference("spec.resourceClaims", RESOURCE_CLAIMS,
                        claim.path("resourceClaimName").asString(""), claim)));
        found.addAll(below(spec, "spec"));
        String claims = pod.path("metadata").path("name").asString("") + "-";
        for (JsonNode volume : spec.path("volumes")) {
            if (volume.path("ephemeral").isObject()) {
                found.add(new Reference("spec.volumes", CLAIMS, claims + volume.path("name").asString(""), volume));
            }
        }
        return found;
    }

    /** The references in the fields of an object and of all objects in it, such as a volume. */
    public static List<Reference> below(JsonNode object, String path) {
        List<Reference> found = new ArrayList<>();
        if (object.isArray()) {
            for (int i = 0; i < object.size(); i++) {
                found.addAll(below(object.get(i), path + "[" + i + "]"));
            }
        }
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String at = path + "." + field.getKey();
            String resource = FIELDS.get(field.getKey());
            if (resource != null && field.getValue().isObject()) {
                found.add(of(at, resource, field.getValue()));
            }
            found.addAll(below(field.getValue(), at));
        }
        return found;
    }

    private static Reference of(String path, String resource, JsonNode source) {
        return new Reference(path, resource, NAMES.stream().map(field -> source.path(field).asString(""))
                .filter(name -> !name.isEmpty()).findFirst().orElse(""), source);
    }
}
