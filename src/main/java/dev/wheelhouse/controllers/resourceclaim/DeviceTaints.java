package dev.wheelhouse.controllers.resourceclaim;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1Device;
import io.kubernetes.client.openapi.models.V1DeviceRequestAllocationResult;
import io.kubernetes.client.openapi.models.V1DeviceTaint;
import io.kubernetes.client.openapi.models.V1DeviceToleration;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceSlice;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.Durations;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Decides when a pod has to go because of the taints of its devices (upstream: {@code claimEvictionTime} and
 * {@code podEvictionTime} in {@code device_taint_eviction.go}). Pure functions.
 */
final class DeviceTaints {
    private static final String NO_EXECUTE = "NoExecute";

    private DeviceTaints() {}

    /** The devices of one driver that are managed together. */
    record Pool(String driver, String name) {
        static Pool of(V1DeviceRequestAllocationResult device) {
            return new Pool(device.getDriver(), device.getPool());
        }

        static Pool of(V1ResourceSlice slice) {
            return new Pool(slice.getSpec().getDriver(), slice.getSpec().getPool().getName());
        }

        @Override
        public String toString() {
            return driver + "/" + name;
        }
    }

    /**
     * The caches that a decision reads.
     *
     * @param pools all slices of a pool, of any generation
     */
    record Cluster(SharedIndexInformer<ResourceV1ResourceClaim> claims,
            Function<Pool, Collection<V1ResourceSlice>> pools) {}

    /** The time at which the pod has to go; null if it may stay. */
    static @Nullable Instant end(V1Pod pod, Cluster cluster) {
        return Pods.node(pod).isEmpty()
                ? null
                : PodClaims.of(pod).stream().flatMap(wanted -> {
                    String name = PodClaims.name(pod, wanted);
                    ResourceV1ResourceClaim claim = name == null
                            ? null
                            : cluster.claims
                                    .get(ObjectKey.of(String.valueOf(pod.getMetadata().getNamespace()), name));
                    boolean used = claim != null && isReservedFor(pod, claim)
                            && (wanted.getResourceClaimName() != null || PodClaims.isFor(pod, claim));
                    return used ? devices(Objects.requireNonNull(claim)).stream() : Stream.of();
                }).flatMap(device -> ends(device, cluster)).min(Instant::compareTo).orElse(null);
    }

    /** The devices that a claim has. */
    static List<V1DeviceRequestAllocationResult> devices(ResourceV1ResourceClaim claim) {
        return claim.getStatus() == null || claim.getStatus().getAllocation() == null
                || claim.getStatus().getAllocation().getDevices() == null
                        ? List.of()
                        : orEmpty(claim.getStatus().getAllocation().getDevices().getResults());
    }

    private static boolean isReservedFor(V1Pod pod, ResourceV1ResourceClaim claim) {
        return PodClaims.consumers(claim).stream()
                .anyMatch(consumer -> consumer.getUid().equals(pod.getMetadata().getUid()));
    }

    private static Stream<Instant> ends(V1DeviceRequestAllocationResult allocated, Cluster cluster) {
        Collection<V1ResourceSlice> slices = cluster.pools.apply(Pool.of(allocated));
        long newest = slices.stream().mapToLong(slice -> slice.getSpec().getPool().getGeneration()).max().orElse(0);
        return slices.stream().filter(slice -> slice.getSpec().getPool().getGeneration() == newest)
                .flatMap(slice -> orEmpty(slice.getSpec().getDevices()).stream())
                .filter(device -> device.getName().equals(allocated.getDevice())).limit(1)
                .flatMap(DeviceTaints::evicting).map(taint -> end(taint, allocated)).filter(Objects::nonNull);
    }

    /** The taints of a device that end pods. */
    static Stream<V1DeviceTaint> evicting(V1Device device) {
        return orEmpty(device.getTaints()).stream().filter(taint -> NO_EXECUTE.equals(taint.getEffect()));
    }

    /** The end of the shortest toleration of a taint; null if one of them has no end. */
    private static @Nullable Instant end(V1DeviceTaint taint, V1DeviceRequestAllocationResult allocated) {
        if (taint.getTimeAdded() == null) {
            return null;
        }
        List<V1DeviceToleration> tolerations = orEmpty(allocated.getTolerations()).stream()
                .filter(toleration -> NO_EXECUTE.equals(toleration.getEffect()) && tolerates(toleration, taint))
                .toList();
        if (tolerations.stream().anyMatch(toleration -> toleration.getTolerationSeconds() == null)) {
            return null;
        }
        long seconds = tolerations.stream().mapToLong(toleration -> Math.max(0, toleration.getTolerationSeconds()))
                .min().orElse(0);
        return Durations.after(taint.getTimeAdded().toInstant(), seconds);
    }

    private static boolean tolerates(V1DeviceToleration toleration, V1DeviceTaint taint) {
        boolean key = orEmpty(toleration.getKey()).isEmpty() || toleration.getKey().equals(taint.getKey());
        return key && switch (orEmpty(toleration.getOperator())) {
            case "", "Equal" -> orEmpty(toleration.getValue()).equals(orEmpty(taint.getValue()));
            case "Exists" -> true;
            default -> false;
        };
    }
}
