package dev.wheelhouse.node.net;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.world.Yaml;

/** Services and slices of tests, in short. */
final class NetworkObjects {
    static final ServiceRules.Machine MACHINE = new ServiceRules.Machine(Set.of("here"), Set.of("10.244.0.0/24"));

    final List<V1Service> services = new ArrayList<>();
    private final List<V1EndpointSlice> slices = new ArrayList<>();

    /** @param spec fields of the spec, and {@code status} behind {@code //} */
    NetworkObjects service(String name, String spec) {
        String[] parts = spec.split("//", 2);
        services.add(Yaml.read("{metadata: {namespace: ns, name: " + name + "}, spec: {" + parts[0] + "}"
                + (parts.length > 1 ? ", status: {" + parts[1] + "}" : "") + "}", V1Service.class));
        return this;
    }

    /** @param endpoints elements of the list of endpoints */
    NetworkObjects slice(String service, String ports, String endpoints) {
        slices.add(
                Yaml.read("{metadata: {namespace: ns, name: " + service + "-" + slices.size() + "}, addressType: IPv4,"
                        + " ports: [" + ports + "], endpoints: [" + endpoints + "]}", V1EndpointSlice.class));
        slices.getLast().getMetadata().setLabels(Map.of("service", service));
        return this;
    }

    Function<V1Service, List<V1EndpointSlice>> slices() {
        return service -> slices.stream().filter(each -> service.getMetadata().getName()
                .equals(each.getMetadata().getLabels().get("service"))).toList();
    }

    Ruleset rules() {
        return ServiceRules.of(services, slices(), MACHINE);
    }

    ClusterNames names() {
        return ClusterNames.of(services, slices());
    }
}
