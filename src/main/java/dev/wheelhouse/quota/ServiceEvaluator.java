package dev.wheelhouse.quota;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;

/** Counts Services, their node ports and load balancers (upstream: {@code pkg/quota/v1/evaluator/core/services.go}). */
final class ServiceEvaluator implements Evaluator {
    private static final Set<String> LIMITS = Set.of("count/services", "services", "services.nodeports",
            "services.loadbalancers");
    private static final Set<String> COUNTED_TYPES = Set.of("NodePort", "LoadBalancer");

    @Override
    public Class<V1Service> model() {
        return V1Service.class;
    }

    @Override
    public boolean counts(String limit) {
        return LIMITS.contains(limit);
    }

    @Override
    public Map<String, Quantity> usage(KubernetesObject object, Instant now) {
        V1ServiceSpec spec = ((V1Service) object).getSpec();
        boolean balanced = "LoadBalancer".equals(spec.getType());
        return Map.of("count/services", Amounts.of(1), "services", Amounts.of(1),
                "services.nodeports", Amounts.of(nodePorts(spec, balanced)),
                "services.loadbalancers", Amounts.of(balanced ? 1 : 0));
    }

    /** The node ports that the Service asks for. They may not have been allocated yet. */
    private static long nodePorts(V1ServiceSpec spec, boolean balanced) {
        List<V1ServicePort> ports = Objects.requireNonNullElse(spec.getPorts(), List.of());
        if (balanced && Boolean.FALSE.equals(spec.getAllocateLoadBalancerNodePorts())) {
            return ports.stream().filter(port -> port.getNodePort() != null && port.getNodePort() != 0).count();
        }
        return COUNTED_TYPES.contains(type(spec)) ? ports.size() : 0;
    }

    @Override
    public boolean judges(String subresource, KubernetesObject object, @Nullable KubernetesObject old) {
        return subresource.isEmpty();
    }

    @Override
    public boolean isCountedAgain(KubernetesObject before, KubernetesObject after, Instant now) {
        return !countedType(before).equals(countedType(after));
    }

    private static String countedType(KubernetesObject service) {
        String type = type(((V1Service) service).getSpec());
        return COUNTED_TYPES.contains(type) ? type : "";
    }

    private static String type(V1ServiceSpec spec) {
        return Objects.requireNonNullElse(spec.getType(), "");
    }
}
