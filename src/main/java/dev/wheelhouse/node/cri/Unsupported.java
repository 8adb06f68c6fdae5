package dev.wheelhouse.node.cri;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EphemeralContainer;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.PodPhases;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The fields of pods that would change how a pod behaves, and that this runtime does not know yet. A pod with such a
 * field waits, instead of running in another way than its owner wrote. Pure functions.
 */
final class Unsupported {
    private static final List<String> VOLUMES = List.of("name", "emptyDir", "hostPath", "configMap", "secret",
            "downwardAPI", "projected", "persistentVolumeClaim", "ephemeral");
    private static final List<String> PROJECTIONS = List.of("configMap", "secret", "downwardAPI",
            "serviceAccountToken");
    /** Fields of pods, in lists too; with {@code =} only one value counts. */
    private static final List<String> OF_PODS = List.of("hostUsers=false", "resourceClaims",
            "securityContext.seLinuxOptions", "securityContext.appArmorProfile.type=Localhost",
            "securityContext.supplementalGroupsPolicy=Strict");
    private static final List<String> OF_CONTAINERS = List.of("restartPolicyRules.action=RestartAllContainers",
            "volumeDevices", "resources.claims", "lifecycle.stopSignal", "lifecycle.postStart.tcpSocket",
            "lifecycle.preStop.tcpSocket",
            "volumeMounts.recursiveReadOnly=Enabled", "securityContext.seLinuxOptions",
            "securityContext.appArmorProfile.type=Localhost", "securityContext.procMount=Unmasked");

    private Unsupported() {}

    /**
     * The fields that are not supported, in a sentence; null if there are none.
     *
     * @param selinux whether the machine has SELinux; without it, the options for it mean nothing, as with kubelet
     */
    static @Nullable String of(V1Pod pod, boolean selinux) {
        if (!isSafe(pod)) {
            return "the names or the UID of the pod have characters that paths may not have";
        }
        List<String> fields = new ArrayList<>();
        JsonNode spec = ModelJson.tree(pod.getSpec());
        add(fields, "spec.", spec, OF_PODS);
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            for (JsonNode container : spec.path(list)) {
                add(fields, "spec." + list + "{" + container.path("name").asString("") + "}.", container,
                        OF_CONTAINERS);
            }
        }
        for (JsonNode volume : spec.path("volumes")) {
            String path = "spec.volumes{" + volume.path("name").asString("") + "}.";
            volume.propertyNames().stream().filter(kind -> !VOLUMES.contains(kind)).map(path::concat)
                    .forEach(fields::add);
            for (JsonNode source : volume.path("projected").path("sources")) {
                source.propertyNames().stream().filter(kind -> !PROJECTIONS.contains(kind))
                        .map((path + "projected.sources.")::concat).forEach(fields::add);
            }
        }
        fields.removeIf(field -> !selinux && field.endsWith(".seLinuxOptions"));
        return fields.isEmpty()
                ? null
                : "this node does not support " + String.join(", ", fields)
                        + " yet: remove it, or run the pod on another node";
    }

    private static void add(List<String> fields, String path, JsonNode object, List<String> rules) {
        for (String rule : rules) {
            String[] parts = rule.split("=", 2);
            if (has(object, parts[0], parts.length > 1 ? parts[1] : null)) {
                fields.add(path + parts[0]);
            }
        }
    }

    private static boolean has(JsonNode node, String path, @Nullable String value) {
        if (node.isArray() && !path.isEmpty()) {
            return node.valueStream().anyMatch(each -> has(each, path, value));
        }
        if (path.isEmpty()) {
            String text = node.asString("");
            return value == null ? node.isNumber() || !node.isEmpty() || !text.isEmpty() : text.equals(value);
        }
        int dot = path.indexOf('.');
        return has(node.path(dot < 0 ? path : path.substring(0, dot)), dot < 0 ? "" : path.substring(dot + 1), value);
    }

    /** Whether the names that become parts of paths are only names. */
    private static boolean isSafe(V1Pod pod) {
        String uid = pod.getMetadata().getUid();
        Stream<String> labels = Stream.of(PodPhases.containers(pod.getSpec()).map(V1Container::getName),
                orEmpty(pod.getSpec().getEphemeralContainers()).stream().map(V1EphemeralContainer::getName),
                orEmpty(pod.getSpec().getVolumes()).stream().map(V1Volume::getName)).flatMap(each -> each);
        return uid != null && NodeFolders.isName(uid) && Names.isLabel(pod.getMetadata().getNamespace())
                && Names.isSubdomain(pod.getMetadata().getName()) && labels.allMatch(Names::isLabel);
    }
}
