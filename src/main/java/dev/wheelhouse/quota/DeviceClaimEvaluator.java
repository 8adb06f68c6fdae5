package dev.wheelhouse.quota;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1DeviceRequest;
import io.kubernetes.client.openapi.models.V1DeviceSubRequest;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;

/**
 * Counts ResourceClaims and the devices that they may get, by class (upstream:
 * {@code pkg/quota/v1/evaluator/core/resource_claims.go}). The devices count also under the names of extended
 * resources, less those that the claim's pod requests under these names itself.
 */
record DeviceClaimEvaluator(Devices devices, PodEvaluator pods) implements Evaluator {
    static final String RESOURCE = "resourceclaims.resource.k8s.io";

    private static final String COUNT = "count/" + RESOURCE;
    private static final String OF_CLASS = ".deviceclass.resource.k8s.io/devices";
    private static final String IMPLICIT = "requests.deviceclass.resource.kubernetes.io/";
    private static final String FOR_EXTENDED_RESOURCES = "resource.kubernetes.io/extended-resource-claim";
    /** The most devices of one request, and the count of a request for all devices. */
    private static final long MOST_DEVICES = 32;
    private static final Comparator<V1ObjectMeta> OLDEST = Comparator.<V1ObjectMeta, Instant>comparing(
            meta -> Objects.requireNonNullElse(meta.getCreationTimestamp(), OffsetDateTime.MIN).toInstant())
            .thenComparing(meta -> String.valueOf(meta.getName()));

    @Override
    public Class<ResourceV1ResourceClaim> model() {
        return ResourceV1ResourceClaim.class;
    }

    @Override
    public boolean counts(String limit) {
        if (limit.equals(COUNT) || limit.endsWith(OF_CLASS)) {
            return true;
        }
        if (!PodEvaluator.isOfExtendedResource(limit)) {
            return false;
        }
        String resource = limit.substring("requests.".length());
        return devices.classes().stream().anyMatch(each -> limit.equals(IMPLICIT + each.getMetadata().getName())
                || resource.equals(each.getSpec().getExtendedResourceName()));
    }

    @Override
    public Map<String, Quantity> usage(KubernetesObject object, Instant now) {
        ResourceV1ResourceClaim claim = (ResourceV1ResourceClaim) object;
        Map<String, Long> ofClasses = new TreeMap<>();
        if (claim.getSpec() != null && claim.getSpec().getDevices() != null
                && claim.getSpec().getDevices().getRequests() != null) {
            claim.getSpec().getDevices().getRequests().forEach(request -> add(request, ofClasses));
        }
        Map<String, Quantity> usage = new TreeMap<>();
        usage.put(COUNT, Amounts.of(1));
        ofClasses.forEach((name, count) -> usage.put(name + OF_CLASS, Amounts.of(count)));
        usage.putAll(Amounts.excess(extended(ofClasses), ofPod(claim, now)));
        return usage;
    }

    private static void add(V1DeviceRequest request, Map<String, Long> ofClasses) {
        List<V1DeviceSubRequest> alternatives = request.getFirstAvailable();
        Map<String, Long> worst = new TreeMap<>();
        if (alternatives != null && !alternatives.isEmpty()) {
            alternatives.forEach(each -> worst.merge(each.getDeviceClassName(),
                    devices(each.getAllocationMode(), each.getCount()), Math::max));
            worst.values().removeIf(count -> count == 0);
        } else if (request.getExactly() != null) {
            worst.put(request.getExactly().getDeviceClassName(),
                    devices(request.getExactly().getAllocationMode(), request.getExactly().getCount()));
        }
        worst.forEach((name, count) -> ofClasses.merge(name, count, Long::sum));
    }

    private static long devices(@Nullable String mode, @Nullable Long count) {
        return switch (mode) {
            case "ExactCount" -> Objects.requireNonNullElse(count, 0L);
            case "All" -> MOST_DEVICES;
            case null, default -> 0;
        };
    }

    /** The devices under the implicit names of their classes, and under those that the classes give them. */
    private Map<String, Quantity> extended(Map<String, Long> ofClasses) {
        Map<String, Quantity> extended = new TreeMap<>();
        ofClasses.forEach((name, count) -> {
            extended.put(IMPLICIT + name, Amounts.of(count));
            devices.classes().stream().filter(each -> name.equals(each.getMetadata().getName()))
                    .map(each -> each.getSpec().getExtendedResourceName()).filter(Objects::nonNull)
                    .forEach(resource -> extended.put("requests." + resource, Amounts.of(count)));
        });
        return extended;
    }

    /** The amounts that the pod of a claim for extended resources takes; none if the pod does not own the claim. */
    private Map<String, Quantity> ofPod(ResourceV1ResourceClaim claim, Instant now) {
        V1OwnerReference owner = pod(claim);
        if (owner == null) {
            return Map.of();
        }
        V1Pod pod = devices.pod(ObjectKey.of(claim.getMetadata().getNamespace(), owner.getName()));
        return pod != null && owner.getUid().equals(pod.getMetadata().getUid()) && isClaimOf(pod, claim)
                ? pods.usage(pod, now)
                : Map.of();
    }

    /** The pod for whose extended resources the claim is; null if it is for none. */
    private static @Nullable V1OwnerReference pod(ResourceV1ResourceClaim claim) {
        Map<String, String> annotations = claim.getMetadata().getAnnotations();
        V1OwnerReference owner = OwnerReferences.controllerOf(claim.getMetadata());
        return annotations != null && "true".equals(annotations.get(FOR_EXTENDED_RESOURCES)) && owner != null
                && owner.getKind().equals("Pod") && owner.getApiVersion().equals("v1") ? owner : null;
    }

    /** Whether the pod names the claim or, as long as it names none, the claim is the pod's first. */
    private boolean isClaimOf(V1Pod pod, ResourceV1ResourceClaim claim) {
        if (pod.getStatus() != null && pod.getStatus().getExtendedResourceClaimStatus() != null) {
            return claim.getMetadata().getName()
                    .equals(pod.getStatus().getExtendedResourceClaimStatus().getResourceClaimName());
        }
        return devices.claims(String.valueOf(claim.getMetadata().getNamespace())).stream()
                .filter(other -> pod(other) instanceof V1OwnerReference owner
                        && owner.getUid().equals(pod.getMetadata().getUid()))
                .noneMatch(other -> OLDEST.compare(other.getMetadata(), claim.getMetadata()) < 0);
    }

    @Override
    public boolean judges(String subresource, KubernetesObject object, @Nullable KubernetesObject old) {
        return subresource.isEmpty();
    }
}
