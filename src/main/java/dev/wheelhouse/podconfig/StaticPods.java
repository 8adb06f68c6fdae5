package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1Toleration;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.runtime.Hashes;

/**
 * Turns a manifest's pod into a static pod of one node: sets its name, UID, defaults and tolerations (upstream:
 * {@code applyDefaults} in {@code pkg/kubelet/config/common.go}).
 *
 * @param fromFile whether the manifests are files. Pods from files tolerate every NoExecute taint, and their UID
 *     depends on the node.
 */
record StaticPods(String nodeName, boolean fromFile) {

    /** Completes a pod in place, and returns it. */
    V1Pod complete(V1Pod pod, JsonNode content, String location) {
        V1ObjectMeta meta = pod.getMetadata();
        V1PodSpec spec = pod.getSpec();
        if (meta.getUid() == null || meta.getUid().isEmpty()) {
            meta.uid(uid(content, location));
        }
        meta.name(meta.getName() + "-" + nodeName.toLowerCase(Locale.ROOT));
        if (meta.getNamespace() == null || meta.getNamespace().isEmpty()) {
            meta.namespace("default");
        }
        Map<String, String> annotations = new LinkedHashMap<>(
                meta.getAnnotations() == null ? Map.of() : meta.getAnnotations());
        annotations.put(PodSources.HASH_ANNOTATION, meta.getUid());
        meta.annotations(annotations);
        meta.resourceVersion(null).ownerReferences(null).deletionTimestamp(null).deletionGracePeriodSeconds(null)
                .managedFields(null);
        spec.nodeName(nodeName);
        if (fromFile) {
            List<V1Toleration> tolerations = new ArrayList<>(
                    spec.getTolerations() == null ? List.of() : spec.getTolerations());
            V1Toleration all = new V1Toleration().operator("Exists").effect("NoExecute");
            if (!tolerations.contains(all)) {
                tolerations.add(all);
            }
            spec.tolerations(tolerations);
        }
        defaults(spec);
        pod.apiVersion("v1").kind("Pod").status(new V1PodStatus().phase("Pending"));
        return pod;
    }

    private static void defaults(V1PodSpec spec) {
        spec.restartPolicy(spec.getRestartPolicy() == null ? "Always" : spec.getRestartPolicy());
        spec.dnsPolicy(spec.getDnsPolicy() == null ? "ClusterFirst" : spec.getDnsPolicy());
        if (spec.getTerminationGracePeriodSeconds() == null) {
            spec.terminationGracePeriodSeconds(30L);
        }
        List<V1Container> containers = new ArrayList<>(spec.getContainers());
        if (spec.getInitContainers() != null) {
            containers.addAll(spec.getInitContainers());
        }
        for (V1Container container : containers) {
            for (V1ContainerPort port : container.getPorts() == null
                    ? List.<V1ContainerPort>of()
                    : container.getPorts()) {
                port.protocol(port.getProtocol() == null ? "TCP" : port.getProtocol());
                if (Boolean.TRUE.equals(spec.getHostNetwork()) && port.getHostPort() == null) {
                    port.hostPort(port.getContainerPort());
                }
            }
        }
    }

    /**
     * The first 128 bits of a hash of content, node and location, in hexadecimal. The order of the manifest's keys is
     * ignored.
     */
    private String uid(JsonNode content, String location) {
        StringBuilder text = new StringBuilder();
        canonical(content, text);
        text.append(fromFile ? "\nhost:" + nodeName + "\nfile:" : "\nurl:").append(location);
        return Hashes.sha256(text.toString()).substring(0, 32);
    }

    private static void canonical(JsonNode node, StringBuilder out) {
        if (node.isObject()) {
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.forEachEntry(sorted::put);
            out.append('{');
            sorted.forEach((key, value) -> {
                out.append(key.length()).append(':').append(key).append('=');
                canonical(value, out);
            });
            out.append('}');
        } else if (node.isArray()) {
            out.append('[');
            for (JsonNode element : node) {
                canonical(element, out);
                out.append(',');
            }
            out.append(']');
        } else {
            out.append(node);
        }
    }
}
