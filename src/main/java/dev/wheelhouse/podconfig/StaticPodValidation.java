package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.client.ModelJson;

/**
 * Validates a static pod as the API server would: names, containers, ports, volumes, mounts and resources (upstream:
 * {@code pkg/apis/core/validation/validation.go}). It also rejects references to API objects, which no static pod may
 * have ({@link StaticPodReferences}). Pure functions.
 */
final class StaticPodValidation {
    private static final Pattern PORT_NAME = Pattern.compile("(?=.*[a-z])[a-z0-9](-?[a-z0-9]){0,14}");
    private static final List<String> HOST_PATH_TYPES = List.of("DirectoryOrCreate", "Directory", "FileOrCreate",
            "File",
            "Socket", "CharDevice", "BlockDevice");

    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> hostPorts = new HashSet<>();

    /**
     * A problem of one field.
     * @param path field names and indices, starting at the pod
     */
    record Problem(List<Object> path, String problem) {}

    private StaticPodValidation() {}

    /** The problems of a pod as its manifest describes it, most important first; empty if it is valid. */
    static List<Problem> of(V1Pod pod) {
        StaticPodValidation validation = new StaticPodValidation();
        validation.metadata(pod.getMetadata());
        if (pod.getSpec() == null) {
            validation.wrong("it is required", "spec");
        } else {
            validation.spec(pod.getSpec());
            StaticPodReferences.find(pod.getSpec()).ifPresent(r -> validation.problems.add(r));
        }
        return validation.problems;
    }

    private void wrong(String problem, Object... path) {
        problems.add(new Problem(List.of(path), problem));
    }

    private void metadata(@Nullable V1ObjectMeta meta) {
        if (meta == null || meta.getName() == null || meta.getName().isEmpty()) {
            wrong("a name is required", "metadata", "name");
            return;
        }
        if (meta.getName().length() > 200 || !Names.isSubdomain(meta.getName())) {
            wrong("\"" + meta.getName()
                    + "\" is not a pod name: write lower case letters, digits, '-' and '.', at most 200",
                    "metadata", "name");
        }
        if (meta.getNamespace() != null && !meta.getNamespace().isEmpty()
                && !Names.isLabel(meta.getNamespace())) {
            wrong("\"" + meta.getNamespace()
                    + "\" is not a namespace name: write lower case letters, digits and '-', at most 63",
                    "metadata", "namespace");
        }
        if (meta.getLabels() != null) {
            meta.getLabels().forEach((key, value) -> {
                if (!Names.isLabelKey(key) || value == null || !Names.isLabelValue(value)) {
                    wrong("\"" + key + ": " + value + "\" is not a label: write at most 63 letters, digits, '-', '_'"
                            + " and '.'",
                            "metadata", "labels", key);
                }
            });
        }
        if (meta.getAnnotations() != null) {
            meta.getAnnotations().forEach((key, value) -> {
                if (value == null || !Names.isLabelKey(key)) {
                    wrong("\"" + key + "\" is not an annotation: write a key of the form of a label's key, and a value",
                            "metadata", "annotations", key);
                }
            });
        }
    }

    private void oneOf(@Nullable String value, List<String> allowed, Object... path) {
        if (value != null && !allowed.contains(value)) {
            wrong("\"" + value + "\" is not supported: write one of " + String.join(", ", allowed), path);
        }
    }

    private void spec(V1PodSpec spec) {
        oneOf(spec.getRestartPolicy(), List.of("Always", "OnFailure", "Never"), "spec", "restartPolicy");
        oneOf(spec.getDnsPolicy(), List.of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"), "spec",
                "dnsPolicy");
        if (spec.getTerminationGracePeriodSeconds() != null && spec.getTerminationGracePeriodSeconds() < 0) {
            wrong("it must not be negative", "spec", "terminationGracePeriodSeconds");
        }
        if (spec.getActiveDeadlineSeconds() != null && spec.getActiveDeadlineSeconds() < 1) {
            wrong("it must be at least 1", "spec", "activeDeadlineSeconds");
        }
        if (spec.getEphemeralContainers() != null && !spec.getEphemeralContainers().isEmpty()) {
            wrong("ephemeral containers cannot be part of a manifest: remove them", "spec", "ephemeralContainers");
        }
        Set<String> volumes = volumes(spec);
        if (spec.getContainers() == null || spec.getContainers().isEmpty()) {
            wrong("at least one container is required", "spec", "containers");
        }
        Set<String> names = new HashSet<>();
        containers("initContainers", spec.getInitContainers(), spec, names, volumes);
        containers("containers", spec.getContainers(), spec, names, volumes);
    }

    private Set<String> volumes(V1PodSpec spec) {
        Set<String> names = new HashSet<>();
        List<V1Volume> volumes = spec.getVolumes() == null ? List.of() : spec.getVolumes();
        for (int i = 0; i < volumes.size(); i++) {
            String name = volumes.get(i).getName();
            if (name == null || !Names.isLabel(name)) {
                wrong("\"" + name + "\" is not a volume name: write lower case letters, digits and '-', at most 63",
                        "spec", "volumes", i, "name");
            } else if (!names.add(name)) {
                wrong("the volume \"" + name + "\" is defined twice", "spec", "volumes", i, "name");
            }
            source(volumes.get(i), i);
        }
        return names;
    }

    /** Validates the source of a volume. A volume has one source; without one it is an empty directory. */
    private void source(V1Volume volume, int i) {
        List<String> sources = new ArrayList<>(ModelJson.tree(volume).propertyNames());
        sources.remove("name");
        if (sources.size() > 1) {
            wrong("a volume has one source, but this has " + String.join(", ", sources) + ": keep one", "spec",
                    "volumes", i, sources.get(1));
        }
        V1HostPathVolumeSource host = volume.getHostPath();
        if (host == null) {
            return;
        }
        if (host.getPath() == null || host.getPath().isEmpty()) {
            wrong("a path is required", "spec", "volumes", i, "hostPath", "path");
        } else if (List.of(host.getPath().split("/")).contains("..")) {
            wrong("it must not contain \"..\"", "spec", "volumes", i, "hostPath", "path");
        }
        String type = host.getType();
        oneOf(type == null || type.isEmpty() ? null : type, HOST_PATH_TYPES, "spec", "volumes", i, "hostPath", "type");
    }

    private void containers(String field, @Nullable List<V1Container> containers, V1PodSpec spec, Set<String> names,
            Set<String> volumes) {
        for (int i = 0; containers != null && i < containers.size(); i++) {
            V1Container container = containers.get(i);
            if (container == null) {
                wrong("it is null", "spec", field, i);
                continue;
            }
            String name = container.getName();
            if (name == null || !Names.isLabel(name)) {
                wrong("\"" + name + "\" is not a container name: write lower case letters, digits and '-', at most 63",
                        "spec", field, i, "name");
            } else if (!names.add(name)) {
                wrong("another container has the name \"" + name + "\"", "spec", field, i, "name");
            }
            if (container.getImage() == null || container.getImage().isBlank()) {
                wrong("an image is required", "spec", field, i, "image");
            } else if (!container.getImage().equals(container.getImage().strip())) {
                wrong("an image must not begin or end with a space", "spec", field, i, "image");
            }
            oneOf(container.getImagePullPolicy(), List.of("Always", "IfNotPresent", "Never"), "spec", field, i,
                    "imagePullPolicy");
            ports(container, spec, field, i);
            mounts(container, volumes, field, i);
            environment(container, field, i);
            resources(container.getResources(), field, i);
            probe(container.getLivenessProbe(), field, i, "livenessProbe");
            probe(container.getReadinessProbe(), field, i, "readinessProbe");
            probe(container.getStartupProbe(), field, i, "startupProbe");
        }
    }

    private void ports(V1Container container, V1PodSpec spec, String field, int i) {
        Set<String> names = new HashSet<>();
        List<V1ContainerPort> ports = container.getPorts() == null ? List.of() : container.getPorts();
        for (int p = 0; p < ports.size(); p++) {
            V1ContainerPort port = ports.get(p);
            if (port.getContainerPort() == null || port.getContainerPort() < 1 || port.getContainerPort() > 65535) {
                wrong(port.getContainerPort() + " is not a port: write a number from 1 to 65535", "spec", field, i,
                        "ports", p,
                        "containerPort");
            }
            if (port.getHostPort() != null && (port.getHostPort() < 0 || port.getHostPort() > 65535)) {
                wrong(port.getHostPort() + " is not a port: write a number from 1 to 65535", "spec", field, i, "ports",
                        p, "hostPort");
            } else if (Boolean.TRUE.equals(spec.getHostNetwork()) && port.getHostPort() != null
                    && !port.getHostPort().equals(port.getContainerPort())) {
                wrong("with hostNetwork it must equal the containerPort", "spec", field, i, "ports", p, "hostPort");
            }
            oneOf(port.getProtocol(), List.of("TCP", "UDP", "SCTP"), "spec", field, i, "ports", p, "protocol");
            Integer host = port.getHostPort() != null || !Boolean.TRUE.equals(spec.getHostNetwork())
                    ? port.getHostPort()
                    : port.getContainerPort();
            boolean beside = field.equals("containers") || "Always".equals(container.getRestartPolicy());
            if (host != null && host > 0 && beside && !hostPorts.add(
                    (port.getProtocol() == null ? "TCP" : port.getProtocol()) + " " + port.getHostIP() + " " + host)) {
                wrong("another container of the pod uses the node's port " + host, "spec", field, i, "ports", p,
                        "hostPort");
            }
            if (port.getName() != null
                    && (!PORT_NAME.matcher(port.getName()).matches() || !names.add(port.getName()))) {
                wrong("\"" + port.getName()
                        + "\" is not a port name or is used twice: write at most 15 lower case letters, digits"
                        + " and '-', at least one of them a letter", "spec", field, i, "ports", p, "name");
            }
        }
    }

    private void mounts(V1Container container, Set<String> volumes, String field, int i) {
        Set<String> paths = new HashSet<>();
        List<V1VolumeMount> mounts = container.getVolumeMounts() == null ? List.of() : container.getVolumeMounts();
        for (int m = 0; m < mounts.size(); m++) {
            V1VolumeMount mount = mounts.get(m);
            if (mount.getName() == null || !volumes.contains(mount.getName())) {
                wrong("there is no volume \"" + mount.getName() + "\" in spec.volumes", "spec", field, i,
                        "volumeMounts", m,
                        "name");
            }
            if (mount.getMountPath() == null || mount.getMountPath().isEmpty()) {
                wrong("a path is required", "spec", field, i, "volumeMounts", m, "mountPath");
            } else if (!paths.add(mount.getMountPath())) {
                wrong("\"" + mount.getMountPath() + "\" is mounted twice", "spec", field, i, "volumeMounts", m,
                        "mountPath");
            }
            String subPath = mount.getSubPath() == null ? "" : mount.getSubPath();
            if (subPath.startsWith("/") || List.of(subPath.split("/")).contains("..")) {
                wrong("it must be a relative path without \"..\"", "spec", field, i, "volumeMounts", m, "subPath");
            }
        }
    }

    private void environment(V1Container container, String field, int i) {
        List<V1EnvVar> env = container.getEnv() == null ? List.of() : container.getEnv();
        for (int e = 0; e < env.size(); e++) {
            if (env.get(e).getName() == null || env.get(e).getName().isEmpty() || env.get(e).getName().contains("=")) {
                wrong("a name without '=' is required", "spec", field, i, "env", e, "name");
            }
            if (env.get(e).getValueFrom() != null && env.get(e).getValue() != null
                    && !env.get(e).getValue().isEmpty()) {
                wrong("there is also a value: write one of the two", "spec", field, i, "env", e, "valueFrom");
            }
        }
    }

    private void resources(@Nullable V1ResourceRequirements resources, String field, int i) {
        if (resources == null || resources.getRequests() == null) {
            return;
        }
        Map<String, Quantity> limits = resources.getLimits() == null ? Map.of() : resources.getLimits();
        resources.getRequests().forEach((name, request) -> {
            Quantity limit = limits.get(name);
            if (request == null) {
                wrong("a quantity is required", "spec", field, i, "resources", "requests", name);
            } else if (request.getNumber().signum() < 0) {
                wrong("it must not be negative", "spec", field, i, "resources", "requests", name);
            } else if (limit != null && request.getNumber().compareTo(limit.getNumber()) > 0) {
                wrong("it is more than the limit of " + BoundedQuantity.text(limit), "spec", field, i, "resources",
                        "requests", name);
            }
        });
    }

    private void probe(@Nullable V1Probe probe, String field, int i, String name) {
        if (probe == null) {
            return;
        }
        int handlers = (probe.getExec() == null ? 0 : 1) + (probe.getHttpGet() == null ? 0 : 1)
                + (probe.getTcpSocket() == null ? 0 : 1) + (probe.getGrpc() == null ? 0 : 1);
        if (handlers != 1) {
            wrong("exactly one of exec, httpGet, tcpSocket and grpc is required", "spec", field, i, name);
        }
    }
}
