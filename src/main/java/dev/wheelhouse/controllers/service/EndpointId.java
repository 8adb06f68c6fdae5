package dev.wheelhouse.controllers.service;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1ObjectReference;

/**
 * The part of an endpoint that identifies it; the rest may change in place (upstream:
 * {@code staging/src/k8s.io/endpointslice/util/endpointset.go}).
 */
record EndpointId(List<String> addresses, @Nullable String hostname, @Nullable String namespace,
        @Nullable String name) {
    static EndpointId of(V1Endpoint endpoint) {
        List<String> addresses = endpoint.getAddresses();
        V1ObjectReference target = endpoint.getTargetRef();
        return new EndpointId(addresses.size() < 2 ? addresses : addresses.stream().sorted().toList(),
                endpoint.getHostname(), target == null ? null : target.getNamespace(),
                target == null ? null : target.getName());
    }

    /** Whether two endpoints with the same identity are equal in all but their hints. */
    static boolean areEqual(V1Endpoint a, V1Endpoint b) {
        return Objects.equals(a.getNodeName(), b.getNodeName()) && Objects.equals(a.getZone(), b.getZone())
                && conditions(a).equals(conditions(b)) && areEqual(a.getTargetRef(), b.getTargetRef());
    }

    private static V1EndpointConditions conditions(V1Endpoint endpoint) {
        return endpoint.getConditions() == null ? new V1EndpointConditions() : endpoint.getConditions();
    }

    /** The version of the target does not count. */
    private static boolean areEqual(@Nullable V1ObjectReference a, @Nullable V1ObjectReference b) {
        return a == null || b == null
                ? a == null && b == null
                : Objects.equals(a.getKind(), b.getKind()) && Objects.equals(a.getNamespace(), b.getNamespace())
                        && Objects.equals(a.getName(), b.getName()) && Objects.equals(a.getUid(), b.getUid())
                        && Objects.equals(a.getApiVersion(), b.getApiVersion())
                        && Objects.equals(a.getFieldPath(), b.getFieldPath());
    }
}
