package dev.wheelhouse.node.cri;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import io.kubernetes.client.openapi.models.V1Volume;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.node.RestartPolicies;

/**
 * The fields of pods that would change how a pod behaves, and that this runtime does not know yet. A pod with such a
 * field waits, instead of running in another way than its owner wrote. Pure functions.
 */
final class Unsupported {
    private static final List<String> VOLUMES = List.of("emptyDir", "hostPath", "configMap", "secret", "downwardAPI",
            "projected");
    private static final List<String> PROJECTIONS = List.of("configMap", "secret", "downwardAPI",
            "serviceAccountToken");

    private record Rule<T>(String field, Predicate<T> present) {}

    private static final List<Rule<V1PodSpec>> OF_PODS = List.of(
            new Rule<>("runtimeClassName", s -> s.getRuntimeClassName() != null),
            new Rule<>("hostUsers", s -> Boolean.FALSE.equals(s.getHostUsers())),
            new Rule<>("resourceClaims", s -> notEmpty(s.getResourceClaims())),
            new Rule<>("ephemeralContainers", s -> notEmpty(s.getEphemeralContainers())),
            new Rule<>("imagePullSecrets", s -> notEmpty(s.getImagePullSecrets())),
            new Rule<>("setHostnameAsFQDN", s -> Boolean.TRUE.equals(s.getSetHostnameAsFQDN())),
            new Rule<>("hostnameOverride", s -> s.getHostnameOverride() != null),
            new Rule<>("resources", s -> s.getResources() != null
                    && (notEmpty(s.getResources().getLimits()) || notEmpty(s.getResources().getRequests()))));

    private static final List<Rule<V1PodSecurityContext>> OF_SECURITY = List.of(
            new Rule<>("seLinuxOptions", s -> s.getSeLinuxOptions() != null),
            new Rule<>("appArmorProfile", s -> s.getAppArmorProfile() != null
                    && "Localhost".equals(s.getAppArmorProfile().getType())),
            new Rule<>("supplementalGroupsPolicy", s -> "Strict".equals(s.getSupplementalGroupsPolicy())),
            new Rule<>("seccompProfile", s -> isLocal(s.getSeccompProfile())));

    private static final List<Rule<V1SecurityContext>> OF_CONTAINERS_SECURITY = List.of(
            new Rule<>("seLinuxOptions", s -> s.getSeLinuxOptions() != null),
            new Rule<>("appArmorProfile", s -> s.getAppArmorProfile() != null
                    && "Localhost".equals(s.getAppArmorProfile().getType())),
            new Rule<>("procMount", s -> "Unmasked".equals(s.getProcMount())),
            new Rule<>("seccompProfile", s -> isLocal(s.getSeccompProfile())));

    private static final List<Rule<V1Container>> OF_CONTAINERS = List.of(
            new Rule<>("restartPolicyRules", RestartPolicies::mayRestartAll),
            new Rule<>("volumeDevices", c -> notEmpty(c.getVolumeDevices())),
            new Rule<>("resources.claims", c -> c.getResources() != null && notEmpty(c.getResources().getClaims())),
            new Rule<>("lifecycle.stopSignal", c -> c.getLifecycle() != null
                    && c.getLifecycle().getStopSignal() != null),
            new Rule<>("lifecycle.postStart", c -> c.getLifecycle() != null
                    && !isKnown(c.getLifecycle().getPostStart())),
            new Rule<>("lifecycle.preStop", c -> c.getLifecycle() != null && !isKnown(c.getLifecycle().getPreStop())),
            new Rule<>("livenessProbe.grpc", c -> isGrpc(c.getLivenessProbe())),
            new Rule<>("readinessProbe.grpc", c -> isGrpc(c.getReadinessProbe())),
            new Rule<>("startupProbe.grpc", c -> isGrpc(c.getStartupProbe())),
            new Rule<>("ports.hostPort", c -> c.getPorts() != null
                    && c.getPorts().stream().anyMatch(p -> p.getHostPort() != null)),
            new Rule<>("env.valueFrom.fileKeyRef", c -> c.getEnv() != null && c.getEnv().stream()
                    .anyMatch(e -> e.getValueFrom() != null && e.getValueFrom().getFileKeyRef() != null)),
            new Rule<>("volumeMounts.subPath", c -> mounts(c, "subPath")),
            new Rule<>("volumeMounts.subPathExpr", c -> mounts(c, "subPathExpr")),
            new Rule<>("volumeMounts.recursiveReadOnly", c -> c.getVolumeMounts() != null && c.getVolumeMounts()
                    .stream().anyMatch(m -> "Enabled".equals(m.getRecursiveReadOnly()))));

    private Unsupported() {}

    /** The fields that are not supported, in a sentence; null if there are none. */
    static @Nullable String of(V1Pod pod) {
        List<String> fields = new ArrayList<>();
        V1PodSpec spec = pod.getSpec();
        add(fields, "spec.", spec, OF_PODS);
        if (spec.getSecurityContext() != null) {
            add(fields, "spec.securityContext.", spec.getSecurityContext(), OF_SECURITY);
        }
        PodPhases.containers(spec).forEach(container -> {
            String path = "spec.containers{" + container.getName() + "}.";
            add(fields, path, container, OF_CONTAINERS);
            if (Boolean.TRUE.equals(spec.getHostNetwork())) {
                fields.remove(path + "ports.hostPort");
            }
            if (container.getSecurityContext() != null) {
                add(fields, path + "securityContext.", container.getSecurityContext(), OF_CONTAINERS_SECURITY);
            }
        });
        for (V1Volume volume : spec.getVolumes() == null ? List.<V1Volume>of() : spec.getVolumes()) {
            addVolume(fields, volume);
        }
        if (!isSafe(pod)) {
            return "the names or the UID of the pod have characters that paths may not have";
        }
        return fields.isEmpty()
                ? null
                : "this node does not support " + String.join(", ", fields)
                        + " yet: remove it, or run the pod on another node";
    }

    private static <T> void add(List<String> fields, String path, T object, List<Rule<T>> rules) {
        rules.stream().filter(rule -> rule.present.test(object)).forEach(rule -> fields.add(path + rule.field));
    }

    private static void addVolume(List<String> fields, V1Volume volume) {
        JsonNode tree = ModelJson.tree(volume);
        for (String kind : tree.propertyNames()) {
            String path = "spec.volumes{" + volume.getName() + "}." + kind;
            if (!kind.equals("name") && !VOLUMES.contains(kind)) {
                fields.add(path);
            }
            for (JsonNode source : tree.path(kind).path("sources")) {
                source.propertyNames().stream().filter(each -> !PROJECTIONS.contains(each))
                        .forEach(each -> fields.add(path + ".sources." + each));
            }
        }
    }

    /** Whether the names that become parts of paths are only names. */
    private static boolean isSafe(V1Pod pod) {
        String uid = pod.getMetadata().getUid();
        Stream<String> labels = Stream.concat(PodPhases.containers(pod.getSpec()).map(V1Container::getName),
                pod.getSpec().getVolumes() == null
                        ? Stream.of()
                        : pod.getSpec().getVolumes().stream().map(V1Volume::getName));
        return uid != null && uid.matches("[A-Za-z0-9-]{1,64}") && Names.isLabel(pod.getMetadata().getNamespace())
                && Names.isSubdomain(pod.getMetadata().getName()) && labels.allMatch(Names::isLabel);
    }

    private static boolean isKnown(@Nullable V1LifecycleHandler handler) {
        return handler == null || handler.getExec() != null || handler.getSleep() != null;
    }

    private static boolean isGrpc(@Nullable V1Probe probe) {
        return probe != null && probe.getGrpc() != null;
    }

    private static boolean isLocal(@Nullable V1SeccompProfile profile) {
        return profile != null && "Localhost".equals(profile.getType());
    }

    private static boolean mounts(V1Container container, String field) {
        return container.getVolumeMounts() != null && container.getVolumeMounts().stream()
                .anyMatch(m -> notEmpty(field.equals("subPath") ? m.getSubPath() : m.getSubPathExpr()));
    }

    private static boolean notEmpty(@Nullable String text) {
        return text != null && !text.isEmpty();
    }

    private static boolean notEmpty(@Nullable List<?> list) {
        return list != null && !list.isEmpty();
    }

    private static boolean notEmpty(@Nullable Map<?, ?> map) {
        return map != null && !map.isEmpty();
    }
}
