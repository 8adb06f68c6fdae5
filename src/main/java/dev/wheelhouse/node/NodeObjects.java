package dev.wheelhouse.node;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1DaemonEndpoint;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeAddress;
import io.kubernetes.client.openapi.models.V1NodeCondition;
import io.kubernetes.client.openapi.models.V1NodeDaemonEndpoints;
import io.kubernetes.client.openapi.models.V1NodeSpec;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1NodeSystemInfo;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.facts.Release;

/**
 * Makes the objects that represent a node: its Node and its Lease (upstream: {@code pkg/kubelet/nodestatus}). Pure
 * functions.
 */
final class NodeObjects {
    static final String LEASE_NAMESPACE = "kube-node-lease";
    /** The label of nodes that only simulate pods. */
    static final String HOLLOW_LABEL = "wheelhouse.dev/hollow";
    static final Duration LEASE_DURATION = Duration.ofSeconds(40);
    private static final String VERSION = Release.VERSION;

    private NodeObjects() {}

    /** The node in Events. As in kubelet the UID is the name: a node may report something before it is registered. */
    static V1Node reference(String name) {
        return new V1Node().apiVersion("v1").kind("Node").metadata(new V1ObjectMeta().name(name).uid(name));
    }

    static V1Node node(NodeAgentOptions options, int port, @Nullable String problem, Moment now) {
        return new V1Node().apiVersion("v1").kind("Node")
                .metadata(new V1ObjectMeta().name(options.name()).labels(labels(options)))
                .spec(new V1NodeSpec().podCIDR(options.podCidr()).addPodCIDRsItem(options.podCidr())
                        .taints(options.taints().isEmpty() ? null : options.taints()))
                .status(status(options, port, null, problem, now));
    }

    static Map<String, String> labels(NodeAgentOptions options) {
        Map<String, String> labels = new LinkedHashMap<>(options.labels());
        labels.put("kubernetes.io/hostname", options.name());
        labels.put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", architecture());
        labels.put("beta.kubernetes.io/os", "linux");
        labels.put("beta.kubernetes.io/arch", architecture());
        labels.put(options.runtime() == null ? HOLLOW_LABEL : NodeAgentOptions.REAL, "true");
        return labels;
    }

    private static String architecture() {
        return switch (System.getProperty("os.arch", "")) {
            case "aarch64" -> "arm64";
            case "s390x" -> "s390x";
            case "ppc64le" -> "ppc64le";
            default -> "amd64";
        };
    }

    /**
     * @param port of the node's own server; 0 if it has none
     * @param before the status on the API server; an unchanged condition keeps its transition time
     * @param problem why the node cannot run pods; null if it can
     */
    static V1NodeStatus status(NodeAgentOptions options, int port, @Nullable V1NodeStatus before,
            @Nullable String problem, Moment now) {
        Map<String, Quantity> resources = new LinkedHashMap<>();
        options.capacity().forEach((name, quantity) -> resources.put(name, BoundedQuantity.parse(quantity)));
        NodeRuntime runtime = options.runtime();
        String id = UUID.nameUUIDFromBytes(options.name().getBytes(StandardCharsets.UTF_8)).toString();
        return new V1NodeStatus().capacity(resources).allocatable(resources)
                .addAddressesItem(new V1NodeAddress().type("InternalIP").address(options.hostIp()))
                .addAddressesItem(new V1NodeAddress().type("Hostname").address(options.name()))
                .daemonEndpoints(new V1NodeDaemonEndpoints()
                        .kubeletEndpoint(port == 0 ? null : new V1DaemonEndpoint().port(port)))
                .conditions(List.of(
                        condition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                                "the node has sufficient memory available", before, now),
                        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "the node has no disk pressure",
                                before, now),
                        condition("PIDPressure", "False", "KubeletHasSufficientPID",
                                "the node has sufficient PID available", before, now),
                        problem != null
                                ? condition("Ready", "False", "KubeletNotReady", problem, before, now)
                                : condition("Ready", "True", "KubeletReady",
                                        (runtime == null ? "the hollow node agent" : "the node agent")
                                                + " is posting ready status",
                                        before, now)))
                .nodeInfo(new V1NodeSystemInfo().machineID(id.replace("-", "")).systemUUID(id).bootID(id)
                        .kernelVersion(System.getProperty("os.version", "unknown"))
                        .osImage(runtime == null ? "Wheelhouse hollow node" : "Linux")
                        .containerRuntimeVersion(runtime == null ? "hollow://1.36.0" : runtime.version())
                        .kubeletVersion(VERSION).kubeProxyVersion("")
                        .operatingSystem("linux").architecture(architecture()));
    }

    private static V1NodeCondition condition(String type, String status, String reason, String message,
            @Nullable V1NodeStatus before, Moment now) {
        OffsetDateTime since = now.stamp();
        if (before != null && before.getConditions() != null) {
            for (V1NodeCondition old : before.getConditions()) {
                if (type.equals(old.getType()) && status.equals(old.getStatus())
                        && old.getLastTransitionTime() != null) {
                    since = old.getLastTransitionTime();
                }
            }
        }
        return new V1NodeCondition().type(type).status(status).reason(reason).message(message)
                .lastHeartbeatTime(now.stamp()).lastTransitionTime(since);
    }

    static V1Lease lease(NodeAgentOptions options, V1Node node, Instant now) {
        return new V1Lease().apiVersion("coordination.k8s.io/v1").kind("Lease")
                .metadata(new V1ObjectMeta().name(options.name()).namespace(LEASE_NAMESPACE)
                        .addOwnerReferencesItem(new V1OwnerReference().apiVersion("v1")
                                .kind(ResourceType.NODES.kind()).name(options.name()).uid(node.getMetadata().getUid())))
                .spec(new V1LeaseSpec().holderIdentity(options.name())
                        .leaseDurationSeconds((int) LEASE_DURATION.toSeconds()).renewTime(microTime(now)));
    }

    /** A time with non-zero microseconds, because an API server rejects a MicroTime without a fraction. */
    static OffsetDateTime microTime(Instant instant) {
        OffsetDateTime time = instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
        return time.getNano() == 0 ? time.plusNanos(1000) : time;
    }
}
