package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.service.EndpointSliceController;

import static dev.wheelhouse.simulation.Truth.name;

/**
 * No pod is put into a second slice of one Service and set of ports, and no slice is too full. At the end the slices
 * and the Endpoints of a Service list its ready pods and no pod of others, and the addresses of Endpoints without a
 * selector are mirrored.
 */
record ServiceInvariants(Truth truth) implements Invariant {
    /** The most endpoints of a slice in a run. */
    static final int MOST = 3;
    private static final String SERVICE = "kubernetes.io/service-name";
    private static final String MANAGER = "endpointslice.kubernetes.io/managed-by";

    @Override
    public List<String> before(Write write) {
        V1EndpointSlice written = write.object(V1EndpointSlice.class);
        if (written == null || !write.controller().equals(EndpointSliceController.NAME)) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (endpoints(written).size() > MOST) {
            wrong.add("a slice has " + endpoints(written).size() + " endpoints");
        }
        V1EndpointSlice before = written.getMetadata().getName() == null
                ? null
                : write.read(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class, ObjectKey.of(written));
        Set<String> added = targets(written);
        added.removeAll(before == null ? Set.of() : targets(before));
        for (V1EndpointSlice other : write.read(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class)) {
            if (isSibling(written, other)) {
                targets(other).stream().filter(added::contains)
                        .forEach(pod -> wrong.add("the pod " + pod + " gets into two slices"));
            }
        }
        return wrong;
    }

    private static boolean isSibling(V1EndpointSlice a, V1EndpointSlice b) {
        return !Objects.equals(a.getMetadata().getName(), b.getMetadata().getName())
                && b.getMetadata().getDeletionTimestamp() == null && service(a).equals(service(b))
                && label(a, MANAGER).equals(label(b, MANAGER)) && Objects.equals(a.getPorts(), b.getPorts())
                && OwnerReferences.of(a.getMetadata()).equals(OwnerReferences.of(b.getMetadata()));
    }

    private static List<V1Endpoint> endpoints(V1EndpointSlice slice) {
        return slice.getEndpoints() == null ? List.of() : slice.getEndpoints();
    }

    private static Set<String> targets(V1EndpointSlice slice) {
        return endpoints(slice).stream().map(V1Endpoint::getTargetRef).filter(Objects::nonNull)
                .map(target -> target.getName()).collect(Collectors.toCollection(HashSet::new));
    }

    private static String service(V1EndpointSlice slice) {
        return label(slice, SERVICE);
    }

    private static String label(V1EndpointSlice slice, String key) {
        return slice.getMetadata().getLabels() == null
                ? ""
                : slice.getMetadata().getLabels().getOrDefault(key, "");
    }

    @Override
    public List<String> atEnd() {
        if (truth.isEnding()) {
            return List.of();
        }
        return truth.list(ResourceType.SERVICES, V1Service.class).stream().flatMap(service -> {
            boolean selects = service.getSpec().getSelector() != null && !service.getSpec().getSelector().isEmpty();
            return selects ? ofPods(service) : ofAddresses(service);
        }).toList();
    }

    private Stream<String> ofPods(V1Service service) {
        Set<String> ready = truth.pods().stream().filter(pod -> Truth.isActive(pod) && Truth.isReady(pod))
                .filter(pod -> selects(service, pod)).map(Truth::name).collect(Collectors.toSet());
        Set<String> selected = truth.pods().stream().filter(pod -> selects(service, pod)).map(Truth::name)
                .collect(Collectors.toSet());
        List<V1Endpoint> inSlices = slices(name(service));
        Set<String> listed = inSlices.stream().map(e -> e.getTargetRef().getName()).collect(Collectors.toSet());
        Set<String> inEndpoints = addresses(name(service)).stream().map(a -> a.getTargetRef().getName())
                .collect(Collectors.toSet());
        return Stream.of(
                listed.size() < inSlices.size()
                        ? Stream.of("a pod of " + name(service) + " is in two slices")
                        : Stream.<String>of(),
                missing(ready, listed, "the ready pod %s is in no slice of " + name(service)),
                missing(listed, selected, "a slice of " + name(service) + " lists the pod %s"),
                missing(ready, inEndpoints, "the ready pod %s is not in the Endpoints of " + name(service)),
                missing(inEndpoints, selected, "the Endpoints of " + name(service) + " list the pod %s"),
                inSlices.stream().filter(ServiceInvariants::lacksHint)
                        .map(e -> "the endpoint " + e.getTargetRef().getName() + " has no hint for its node"))
                .flatMap(wrong -> wrong);
    }

    private static boolean lacksHint(V1Endpoint endpoint) {
        return Boolean.TRUE.equals(endpoint.getConditions().getReady()) && endpoint.getNodeName() != null
                && (endpoint.getHints() == null || endpoint.getHints().getForNodes() == null
                        || endpoint.getHints().getForNodes().stream()
                                .noneMatch(node -> node.getName().equals(endpoint.getNodeName())));
    }

    private Stream<String> ofAddresses(V1Service service) {
        Set<String> mirrored = slices(name(service)).stream().map(e -> e.getAddresses().getFirst())
                .collect(Collectors.toSet());
        Set<String> wanted = addresses(name(service)).stream().map(V1EndpointAddress::getIp)
                .collect(Collectors.toSet());
        return Stream.concat(missing(wanted, mirrored, "the address %s of " + name(service) + " is not mirrored"),
                missing(mirrored, wanted, "the mirror of " + name(service) + " has the address %s"));
    }

    private static Stream<String> missing(Set<String> wanted, Set<String> present, String words) {
        return wanted.stream().filter(each -> !present.contains(each)).sorted().map(words::formatted);
    }

    private List<V1Endpoint> slices(String service) {
        return truth.list(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class).stream()
                .filter(slice -> service(slice).equals(service)).flatMap(slice -> endpoints(slice).stream()).toList();
    }

    private List<V1EndpointAddress> addresses(String service) {
        V1Endpoints endpoints = truth.get(ResourceType.ENDPOINTS, V1Endpoints.class, service);
        return endpoints == null || endpoints.getSubsets() == null
                ? List.of()
                : endpoints.getSubsets().stream().filter(s -> s.getAddresses() != null)
                        .flatMap(s -> s.getAddresses().stream()).toList();
    }

    private static boolean selects(V1Service service, V1Pod pod) {
        return pod.getMetadata().getLabels() != null && pod.getMetadata().getLabels().entrySet()
                .containsAll(service.getSpec().getSelector().entrySet());
    }
}
