package dev.wheelhouse.node.net;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;

import dev.wheelhouse.api.Absent;

/** The environment variables by which containers find Services (upstream: {@code pkg/kubelet/envvars}). Pure. */
final class ServiceVariables {
    private ServiceVariables() {}

    /**
     * @param links whether the Services of the pod's namespace count; {@code default/kubernetes} always does
     */
    static Map<String, String> of(String namespace, boolean links, Collection<V1Service> services) {
        Map<String, String> variables = new LinkedHashMap<>();
        services.stream().filter(service -> ServiceRules.isIpv4(service.getSpec().getClusterIP()))
                .filter(service -> isMaster(service) || links && namespace.equals(service.getMetadata().getNamespace()))
                // A Service of the pod's own namespace with the name of the API server's takes precedence over it.
                .sorted(Comparator.comparing((V1Service service) -> !isMaster(service))
                        .thenComparing(service -> service.getMetadata().getName()))
                .forEach(service -> add(variables, service));
        return variables;
    }

    private static boolean isMaster(V1Service service) {
        return "default".equals(service.getMetadata().getNamespace())
                && "kubernetes".equals(service.getMetadata().getName());
    }

    private static String name(String text) {
        return text.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static void add(Map<String, String> variables, V1Service service) {
        String name = name(service.getMetadata().getName());
        String address = service.getSpec().getClusterIP();
        List<V1ServicePort> ports = Absent.orEmpty(service.getSpec().getPorts());
        variables.put(name + "_SERVICE_HOST", address);
        for (V1ServicePort port : ports) {
            String number = String.valueOf(port.getPort());
            String protocol = ServiceRules.protocol(port.getProtocol());
            String url = protocol + "://" + address + ":" + number;
            if (port == ports.get(0)) {
                variables.put(name + "_SERVICE_PORT", number);
                variables.put(name + "_PORT", url);
            }
            if (port.getName() != null && !port.getName().isEmpty()) {
                variables.put(name + "_SERVICE_PORT_" + name(port.getName()), number);
            }
            String link = name + "_PORT_" + number + "_" + protocol.toUpperCase(Locale.ROOT);
            variables.put(link, url);
            variables.put(link + "_PROTO", protocol);
            variables.put(link + "_PORT", number);
            variables.put(link + "_ADDR", address);
        }
    }
}
