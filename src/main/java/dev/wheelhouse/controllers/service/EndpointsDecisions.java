package dev.wheelhouse.controllers.service;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;

/** Decides on the Endpoints of a Service. A pure function. */
final class EndpointsDecisions {
    /** The most addresses that Endpoints list. */
    static final int CAPACITY = 1000;
    private static final String MANAGED_BY = "endpoints.kubernetes.io/managed-by";
    private static final String MANAGER = "endpoint-controller";
    private static final Set<String> OWN_LABELS = Set.of(WellKnown.HEADLESS, MANAGED_BY);

    private EndpointsDecisions() {}

    /**
     * The write that brings the Endpoints of a Service to their desired state, if any.
     *
     * @param pods the pods that the Service selects
     * @param current the cached Endpoints; null if there are none
     * @param triggerTime the time of the change that the write follows; null for none
     */
    static List<Action> decide(V1Service service, List<V1Pod> pods, @Nullable V1Endpoints current,
            @Nullable Instant triggerTime) {
        List<V1EndpointSubset> subsets;
        try {
            subsets = subsets(service, pods);
        } catch (Subsets.TooLarge e) {
            return List.of(new Action.Event(ResourceType.SERVICES, service, EventRecorder.WARNING,
                    "FailedToUpdateEndpoint", "Failed to update endpoint: " + e.getMessage()));
        }
        if (current != null && isUpToDate(current, service, subsets)) {
            return List.of();
        }
        Map<String, String> annotations = WellKnown.annotations(current == null ? null : current.getMetadata());
        WellKnown.setTriggerTime(annotations, triggerTime);
        if (Capacity.count(subsets) > CAPACITY) {
            annotations.put(WellKnown.OVER_CAPACITY, "truncated");
        } else {
            annotations.remove(WellKnown.OVER_CAPACITY);
        }
        V1ObjectMeta meta = current == null
                ? new V1ObjectMeta().namespace(service.getMetadata().getNamespace())
                        .name(service.getMetadata().getName())
                : ModelJson.copy(current.getMetadata());
        V1Endpoints wanted = new V1Endpoints().subsets(Capacity.limited(subsets))
                .metadata(meta.labels(labels(service)).annotations(annotations));
        return List.of(current == null
                ? new Action.Create(ResourceType.ENDPOINTS, wanted, "the Service has none")
                : new Action.Update(ResourceType.ENDPOINTS, wanted, "they differ from the Service and its pods"));
    }

    private static List<V1EndpointSubset> subsets(V1Service service, List<V1Pod> pods) {
        Subsets subsets = new Subsets();
        List<V1ServicePort> ports = ServicePods.ports(service);
        boolean publishesAll = ServicePods.publishesNotReady(service);
        for (V1Pod pod : pods) {
            String ip = address(service, pod);
            if (ip == null || !ServicePods.isReachable(pod) || (Pods.isDeleting(pod) && !publishesAll)) {
                continue;
            }
            V1EndpointAddress address = new V1EndpointAddress().ip(ip).nodeName(pod.getSpec().getNodeName())
                    .hostname(ServicePods.hostname(pod, service)).targetRef(ServicePods.reference(pod));
            boolean ready = publishesAll || Pods.isReady(pod);
            List<CoreV1EndpointPort> open = ports.stream().flatMap(port -> open(pod, port).stream()).toList();
            if (!open.isEmpty() || ports.isEmpty() && ServicePods.isHeadless(service)) {
                subsets.add(address, open, ready);
            }
        }
        return subsets.packed();
    }

    /** The pod's port behind a port of the Service. */
    private static Optional<CoreV1EndpointPort> open(V1Pod pod, V1ServicePort port) {
        String name = port.getName() == null || port.getName().isEmpty() ? null : port.getName();
        return Optional.ofNullable(ServicePods.port(pod, port)).map(number -> new CoreV1EndpointPort().name(name)
                .port(number).protocol(ServicePods.protocol(port.getProtocol())).appProtocol(port.getAppProtocol()));
    }

    /** The pod's address of the Service's first family; null if it has none. */
    private static @Nullable String address(V1Service service, V1Pod pod) {
        List<String> addresses = ServicePods.addresses(pod, ServicePods.firstType(service, pod));
        return addresses.isEmpty() ? null : addresses.getFirst();
    }

    private static boolean isUpToDate(V1Endpoints current, V1Service service, List<V1EndpointSubset> subsets) {
        Map<String, String> annotations = WellKnown.annotations(current.getMetadata());
        return !annotations.containsKey(WellKnown.OVER_CAPACITY) && Capacity.count(current.getSubsets()) <= CAPACITY
                && hasLabelsOf(service, WellKnown.labels(current.getMetadata()))
                && areEqual(current.getSubsets(), subsets);
    }

    private static boolean areEqual(@Nullable List<V1EndpointSubset> current, List<V1EndpointSubset> wanted) {
        try {
            return Subsets.repacked(current).equals(wanted);
        } catch (Subsets.TooLarge e) {
            return false;
        }
    }

    /** Whether labels are those of the Service, besides the label of headless ones, which need not be right. */
    private static boolean hasLabelsOf(V1Service service, Map<String, String> labels) {
        boolean managed = MANAGER.equals(labels.get(MANAGED_BY));
        labels.keySet().removeAll(OWN_LABELS);
        return managed && labels.equals(WellKnown.labels(service.getMetadata()));
    }

    private static Map<String, String> labels(V1Service service) {
        Map<String, String> labels = new HashMap<>(WellKnown.labels(service.getMetadata()));
        if (ServicePods.hasAddress(service)) {
            labels.remove(WellKnown.HEADLESS);
        } else {
            labels.put(WellKnown.HEADLESS, "");
        }
        labels.put(MANAGED_BY, MANAGER);
        return labels;
    }
}
