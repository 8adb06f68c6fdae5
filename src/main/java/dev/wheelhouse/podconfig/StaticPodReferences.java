package dev.wheelhouse.podconfig;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1PodSpec;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.podconfig.StaticPodValidation.Problem;

/**
 * Finds references of a pod to API objects. A static pod must run without an API server, so it may have none (upstream:
 * {@code HasAPIObjectReference} in {@code pkg/api/pod/util.go}). Pure functions.
 */
final class StaticPodReferences {
    /** Fields of a pod's spec, and what they refer to. A star is each element; alternatives are between bars. */
    private static final String FIELDS = """
            serviceAccountName|serviceAccount the ServiceAccount
            imagePullSecrets Secrets
            resourceClaims ResourceClaims
            initContainers|containers.*.envFrom.*.configMapRef ConfigMaps
            initContainers|containers.*.envFrom.*.secretRef Secrets
            initContainers|containers.*.env.*.valueFrom.configMapKeyRef ConfigMaps
            initContainers|containers.*.env.*.valueFrom.secretKeyRef Secrets
            volumes.*.configMap ConfigMaps
            volumes.*.secret|azureFile Secrets
            volumes.*.csi CSIDrivers
            volumes.*.glusterfs Endpoints
            volumes.*.persistentVolumeClaim|ephemeral PersistentVolumeClaims
            volumes.*.cephfs|cinder|flexVolume|iscsi|rbd|scaleIO|storageos.secretRef Secrets
            volumes.*.projected.sources.*.configMap ConfigMaps
            volumes.*.projected.sources.*.secret Secrets
            volumes.*.projected.sources.*.serviceAccountToken ServiceAccounts
            volumes.*.projected.sources.*.clusterTrustBundle ClusterTrustBundles
            volumes.*.projected.sources.*.podCertificate PodCertificates
            """;

    private StaticPodReferences() {}

    /** The first reference; empty if there is none. */
    static Optional<Problem> find(V1PodSpec spec) {
        JsonNode tree = ModelJson.tree(spec);
        return FIELDS.lines().map(line -> line.split(" ", 2))
                .flatMap(field -> find(tree, List.of("spec"), List.of(field[0].split("[.]")), field[1])).findFirst();
    }

    private static Stream<Problem> find(JsonNode node, List<Object> path, List<String> steps, String to) {
        if (steps.isEmpty()) {
            boolean absent = node.isMissingNode() || node.isNull() || node.isArray() && node.isEmpty()
                    || node.isString() && node.stringValue().isEmpty();
            return absent
                    ? Stream.empty()
                    : Stream.of(new Problem(path, "static pods may not reference " + to
                            + (node.isString() ? " " + node : "")
                            + ": write what is needed into the manifest or onto the host"));
        }
        List<String> rest = steps.subList(1, steps.size());
        return steps.getFirst().equals("*")
                ? IntStream.range(0, node.size()).boxed()
                        .flatMap(i -> find(node.path(i), append(path, i), rest, to))
                : Stream.of(steps.getFirst().split("[|]"))
                        .flatMap(field -> find(node.path(field), append(path, field), rest, to));
    }

    private static List<Object> append(List<Object> path, Object step) {
        return Stream.concat(path.stream(), Stream.of(step)).toList();
    }
}
