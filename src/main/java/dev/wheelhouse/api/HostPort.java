package dev.wheelhouse.api;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1PodSpec;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A host port: a port of the node that a container occupies.
 *
 * @param ip the node's address; {@code 0.0.0.0} means all of its addresses
 * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
 */
public record HostPort(String ip, String protocol, int port) {
    private static final String ANY = "0.0.0.0";

    /** The host ports of a pod's containers and sidecars. Other init containers do not count. */
    public static List<HostPort> of(V1PodSpec spec) {
        List<HostPort> ports = new ArrayList<>();
        orEmpty(spec.getContainers()).forEach(container -> addAll(ports, container));
        orEmpty(spec.getInitContainers()).stream().filter(c -> "Always".equals(c.getRestartPolicy()))
                .forEach(sidecar -> addAll(ports, sidecar));
        return ports;
    }

    private static void addAll(List<HostPort> to, V1Container container) {
        if (container.getPorts() == null) {
            return;
        }
        for (V1ContainerPort port : container.getPorts()) {
            if (port.getHostPort() != null && port.getHostPort() > 0) {
                String ip = port.getHostIP() == null || port.getHostIP().isEmpty() ? ANY : port.getHostIP();
                to.add(new HostPort(ip, port.getProtocol() == null ? "TCP" : port.getProtocol(), port.getHostPort()));
            }
        }
    }

    /** Whether one of {@code taken} occupies the same port and protocol on the same address, or on all addresses. */
    public boolean conflicts(Collection<HostPort> taken) {
        for (HostPort other : taken) {
            if (port == other.port && protocol.equals(other.protocol)
                    && (ip.equals(other.ip) || ip.equals(ANY) || other.ip.equals(ANY))) {
                return true;
            }
        }
        return false;
    }
}
