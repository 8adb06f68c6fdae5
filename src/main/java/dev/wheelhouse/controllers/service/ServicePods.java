package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;

import dev.wheelhouse.controllers.pods.Pods;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Reads what Endpoints and EndpointSlices take from a Service and its pods (upstream:
 * {@code staging/src/k8s.io/endpointslice/util/controller_utils.go}, {@code
 * staging/src/k8s.io/endpointslice/utils.go}).
 */
final class ServicePods {
    private static final String NO_ADDRESS = "None";

    private ServicePods() {}

    /** Whether a controller here lists the pods of a Service. Users list the endpoints of other Services. */
    static boolean isOurs(V1Service service) {
        return service.getSpec() != null && hasSelector(service)
                && !"ExternalName".equals(service.getSpec().getType());
    }

    static boolean hasSelector(V1Service service) {
        return service.getSpec() != null && service.getSpec().getSelector() != null
                && !service.getSpec().getSelector().isEmpty();
    }

    /** Whether the selector of a Service matches labels. A Service without a selector matches nothing. */
    static boolean selects(V1Service service, @Nullable Map<String, String> labels) {
        return hasSelector(service) && labels != null
                && labels.entrySet().containsAll(service.getSpec().getSelector().entrySet());
    }

    /** The pods that the selector of a Service matches. */
    static List<V1Pod> of(V1Service service, List<V1Pod> podsOfNamespace) {
        return podsOfNamespace.stream().filter(pod -> selects(service, pod.getMetadata().getLabels())).toList();
    }

    static boolean publishesNotReady(V1Service service) {
        return Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses());
    }

    static boolean isHeadless(V1Service service) {
        return NO_ADDRESS.equals(service.getSpec().getClusterIP());
    }

    /** Whether a Service has an address of its own. A new Service may not have it yet. */
    static boolean hasAddress(V1Service service) {
        String address = service.getSpec().getClusterIP();
        return address != null && !address.isEmpty() && !address.equals(NO_ADDRESS);
    }

    /**
     * The types of addresses that the endpoints of a Service have. The API server sets the families; without them the
     * Service's own address tells the type, and a headless Service has both.
     */
    static SortedSet<String> addressTypes(V1Service service) {
        SortedSet<String> types = new TreeSet<>(families(service));
        types.retainAll(Set.of(Address.IPV4, Address.IPV6));
        if (types.isEmpty() && hasAddress(service)) {
            types.add(ownType(service));
        } else if (types.isEmpty()) {
            types.addAll(List.of(Address.IPV4, Address.IPV6));
        }
        return types;
    }

    /** The type of the addresses in a Service's Endpoints. A headless Service without families has the pod's own. */
    static String firstType(V1Service service, V1Pod pod) {
        if (!families(service).isEmpty()) {
            return families(service).getFirst();
        }
        return hasAddress(service) || ips(pod).isEmpty() ? ownType(service) : typeOf(ips(pod).getFirst());
    }

    private static List<String> families(V1Service service) {
        return orEmpty(service.getSpec().getIpFamilies());
    }

    private static String ownType(V1Service service) {
        return typeOf(service.getSpec().getClusterIP());
    }

    private static String typeOf(@Nullable String text) {
        Address address = Address.parse(text);
        return address == null ? Address.IPV4 : address.type();
    }

    static List<V1ServicePort> ports(V1Service service) {
        return orEmpty(service.getSpec().getPorts());
    }

    /** Whether a pod has an address and has not ended. */
    static boolean isReachable(V1Pod pod) {
        return !Pods.isFinished(pod) && !ips(pod).isEmpty();
    }

    private static List<String> ips(V1Pod pod) {
        if (pod.getStatus() == null) {
            return List.of();
        }
        if (pod.getStatus().getPodIPs() != null && !pod.getStatus().getPodIPs().isEmpty()) {
            return pod.getStatus().getPodIPs().stream().map(V1PodIP::getIp).toList();
        }
        String ip = pod.getStatus().getPodIP();
        return ip == null || ip.isEmpty() ? List.of() : List.of(ip);
    }

    /** The addresses of one type that a pod has. */
    static List<String> addresses(V1Pod pod, String type) {
        return ips(pod).stream().map(Address::parse).filter(Objects::nonNull)
                .filter(address -> address.type().equals(type)).map(Address::text).sorted().toList();
    }

    /** The host name that the Service's DNS has for a pod; null for none. */
    static @Nullable String hostname(V1Pod pod, V1Service service) {
        String hostname = pod.getSpec().getHostname();
        return hostname != null && !hostname.isEmpty()
                && Objects.equals(pod.getSpec().getSubdomain(), service.getMetadata().getName()) ? hostname : null;
    }

    static V1ObjectReference reference(V1Pod pod) {
        return new V1ObjectReference().kind("Pod").namespace(pod.getMetadata().getNamespace())
                .name(pod.getMetadata().getName()).uid(pod.getMetadata().getUid());
    }

    /** The number of the pod's port that a port of a Service leads to; null if no container has a port of that name. */
    static @Nullable Integer port(V1Pod pod, V1ServicePort port) {
        if (port.getTargetPort() == null) {
            return 0;
        }
        if (port.getTargetPort().isInteger()) {
            return port.getTargetPort().getIntValue();
        }
        Stream<V1Container> sidecars = orEmpty(pod.getSpec().getInitContainers()).stream()
                .filter(c -> "Always".equals(c.getRestartPolicy()));
        return Stream.concat(pod.getSpec().getContainers().stream(), sidecars)
                .flatMap(c -> orEmpty(c.getPorts()).stream())
                .filter(p -> port.getTargetPort().getStrValue().equals(p.getName())
                        && Objects.equals(protocol(p.getProtocol()), protocol(port.getProtocol())))
                .map(V1ContainerPort::getContainerPort).findFirst().orElse(null);
    }

    static String protocol(@Nullable String protocol) {
        return protocol == null || protocol.isEmpty() ? "TCP" : protocol;
    }
}
