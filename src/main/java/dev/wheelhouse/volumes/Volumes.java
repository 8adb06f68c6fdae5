package dev.wheelhouse.volumes;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Facts about volumes, their claims and the pods that use them, on which the volume controllers, the scheduler and
 * provisioners agree (upstream: {@code component-helpers/storage/volume},
 * {@code component-helpers/storage/ephemeral}). Pure functions.
 */
public final class Volumes {
    /** The type of the requests to CSI drivers. */
    public static final ResourceType ATTACHMENTS = storage("volumeattachments", "VolumeAttachment", false);
    /** The type that describes CSI drivers. */
    public static final ResourceType CSI_DRIVERS = storage("csidrivers", "CSIDriver", false);
    /** The type that describes the CSI drivers of a node. */
    public static final ResourceType CSI_NODES = storage("csinodes", "CSINode", false);
    /** The type of the free storage that a CSI driver has for some nodes. */
    public static final ResourceType CAPACITIES = storage("csistoragecapacities", "CSIStorageCapacity", true);

    /** On a claim: the claim was bound completely once. */
    public static final String BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
    /** On a claim or volume: a controller chose the other side, not a user. */
    public static final String BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
    /** On a claim: the node that the scheduler chose for the claim's first pod. */
    public static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";
    /** On a claim: the provisioner that is to make a volume. */
    public static final String STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";
    /** The name of {@link #STORAGE_PROVISIONER} before Kubernetes 1.23, which is written too. */
    public static final String BETA_STORAGE_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";
    /** On a volume: the provisioner that made it. */
    public static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
    /** The finalizer of claims that pods may use. */
    public static final String CLAIM_PROTECTION = "kubernetes.io/pvc-protection";
    /** The finalizer of volumes that may be bound. */
    public static final String VOLUME_PROTECTION = "kubernetes.io/pv-protection";

    /** The driver of the volumes that the embedded provisioner makes: directories, on nodes that run containers. */
    public static final String HOLLOW_DRIVER = "hollow.wheelhouse.dev";

    private static final String BETA_CLASS = "volume.beta.kubernetes.io/storage-class";

    private Volumes() {}

    private static ResourceType storage(String plural, String kind, boolean namespaced) {
        return new ResourceType("storage.k8s.io", "v1", plural, kind, namespaced);
    }

    public static boolean isAnnotated(KubernetesObject object, String annotation) {
        return Metadata.annotation(object, annotation) != null;
    }

    /** The class of a claim; empty if it has none. */
    public static String classOf(V1PersistentVolumeClaim claim) {
        return orEmpty(Objects.requireNonNullElse(Metadata.annotation(claim, BETA_CLASS),
                orEmpty(claim.getSpec().getStorageClassName())));
    }

    /** Whether a claim names a class, be it the empty one that excludes provisioning. */
    public static boolean hasClass(V1PersistentVolumeClaim claim) {
        return isAnnotated(claim, BETA_CLASS) || claim.getSpec().getStorageClassName() != null;
    }

    /** The class of a volume; empty if it has none. */
    public static String classOf(V1PersistentVolume volume) {
        return orEmpty(Objects.requireNonNullElse(Metadata.annotation(volume, BETA_CLASS),
                orEmpty(volume.getSpec().getStorageClassName())));
    }

    /** Whether claims of a class wait for a pod before they are bound. */
    public static boolean waitsForPod(@Nullable V1StorageClass storageClass) {
        return storageClass != null && "WaitForFirstConsumer".equals(storageClass.getVolumeBindingMode());
    }

    /** Whether a volume is bound to a claim, or reserved for a claim of this name. */
    public static boolean isBoundTo(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        V1ObjectReference reference = volume.getSpec().getClaimRef();
        return reference != null && claimKey(reference).equals(ObjectKey.of(claim)) && (orEmpty(reference.getUid())
                .isEmpty() || reference.getUid().equals(claim.getMetadata().getUid()));
    }

    /** The claim that a volume refers to. */
    public static ObjectKey claimKey(V1ObjectReference reference) {
        return ObjectKey.of(orEmpty(reference.getNamespace()), orEmpty(reference.getName()));
    }

    /** A reference from a volume to its claim. */
    public static V1ObjectReference reference(V1PersistentVolumeClaim claim) {
        return new V1ObjectReference().apiVersion("v1").kind("PersistentVolumeClaim")
                .namespace(claim.getMetadata().getNamespace()).name(claim.getMetadata().getName())
                .uid(claim.getMetadata().getUid()).resourceVersion(claim.getMetadata().getResourceVersion());
    }

    /** The size that a claim requests, in bytes. */
    public static BigDecimal requested(V1PersistentVolumeClaim claim) {
        return storage(claim.getSpec().getResources() == null ? null : claim.getSpec().getResources().getRequests());
    }

    /** The size of a volume, in bytes. */
    public static BigDecimal capacity(V1PersistentVolume volume) {
        return storage(volume.getSpec().getCapacity());
    }

    /** The {@code storage} of a list of resources, in bytes; zero if it is missing. */
    public static BigDecimal storage(@Nullable Map<String, Quantity> resources) {
        Quantity storage = resources == null ? null : resources.get("storage");
        return storage == null ? BigDecimal.ZERO : storage.getNumber();
    }

    public static boolean haveSameMode(V1PersistentVolumeClaim claim, V1PersistentVolume volume) {
        return mode(claim.getSpec().getVolumeMode()).equals(mode(volume.getSpec().getVolumeMode()));
    }

    private static String mode(@Nullable String mode) {
        return mode == null ? "Filesystem" : mode;
    }

    /** Whether a volume has all access modes that a claim requests. */
    public static boolean hasAccessModes(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        return accessModes(volume).containsAll(orEmpty(claim.getSpec().getAccessModes()));
    }

    private static List<String> accessModes(V1PersistentVolume volume) {
        return orEmpty(volume.getSpec().getAccessModes());
    }

    public static boolean haveSameAttributesClass(V1PersistentVolumeClaim claim, V1PersistentVolume volume) {
        return orEmpty(claim.getSpec().getVolumeAttributesClassName())
                .equals(orEmpty(volume.getSpec().getVolumeAttributesClassName()));
    }

    /**
     * The volume for a claim: one that is reserved for it, else the smallest available one that fits. Volumes with few
     * access modes come first. Null if there is none (upstream: {@code findByClaim} in
     * {@code pkg/controller/volume/persistentvolume/index.go}).
     *
     * @param delayed whether the claim waits for a pod, so that only a reserved volume counts
     * @throws IllegalArgumentException if the claim's selector is invalid
     */
    public static @Nullable V1PersistentVolume match(V1PersistentVolumeClaim claim,
            Collection<V1PersistentVolume> volumes, boolean delayed) {
        Map<List<String>, List<V1PersistentVolume>> byModes = new TreeMap<>(
                Comparator.<List<String>>comparingInt(List::size).thenComparing(Object::toString));
        for (V1PersistentVolume volume : volumes) {
            if (hasAccessModes(volume, claim)) {
                byModes.computeIfAbsent(accessModes(volume).stream().distinct().sorted().toList(),
                        modes -> new ArrayList<>()).add(volume);
            }
        }
        for (List<V1PersistentVolume> group : byModes.values()) {
            V1PersistentVolume found = smallest(claim, group, delayed, null);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * The volume for a claim on a node: one that is reserved for it, else the smallest available one that fits. Null if
     * there is none, or if the reserved one does not fit the node (upstream: {@code FindMatchingVolume}).
     *
     * @param reachable whether the node can use a volume
     * @throws IllegalArgumentException if the claim's selector is invalid
     */
    public static @Nullable V1PersistentVolume matchOnNode(V1PersistentVolumeClaim claim,
            Collection<V1PersistentVolume> volumes, Predicate<V1PersistentVolume> reachable) {
        return smallest(claim, volumes, false, reachable);
    }

    private static @Nullable V1PersistentVolume smallest(V1PersistentVolumeClaim claim,
            Collection<V1PersistentVolume> volumes, boolean delayed,
            @Nullable Predicate<V1PersistentVolume> reachable) {
        LabelSelector selector = claim.getSpec().getSelector() == null
                ? LabelSelector.everything()
                : LabelSelector.of(claim.getSpec().getSelector());
        V1PersistentVolume best = null;
        for (V1PersistentVolume volume : volumes) {
            boolean reserved = isBoundTo(volume, claim);
            if (!reserved && volume.getSpec().getClaimRef() != null || !canHold(volume, claim)) {
                continue;
            }
            if (reserved) {
                return reachable == null || reachable.test(volume) ? volume : null;
            }
            if (!delayed && isAvailable(volume) && selector.matches(volume.getMetadata().getLabels())
                    && classOf(volume).equals(classOf(claim))
                    && (reachable == null || hasAccessModes(volume, claim) && reachable.test(volume))
                    && (best == null || BY_SIZE.compare(volume, best) < 0)) {
                best = volume;
            }
        }
        return best;
    }

    private static final Comparator<V1PersistentVolume> BY_SIZE = Comparator.comparing(Volumes::capacity)
            .thenComparing(volume -> orEmpty(volume.getMetadata().getName()));

    private static boolean canHold(V1PersistentVolume volume, V1PersistentVolumeClaim claim) {
        return capacity(volume).compareTo(requested(claim)) >= 0 && haveSameMode(claim, volume)
                && haveSameAttributesClass(claim, volume) && volume.getMetadata().getDeletionTimestamp() == null;
    }

    private static boolean isAvailable(V1PersistentVolume volume) {
        return volume.getStatus() != null && "Available".equals(volume.getStatus().getPhase());
    }

    /** The names of the claims that a pod uses, those of its ephemeral volumes included. */
    public static List<String> claimsOf(V1Pod pod) {
        List<V1Volume> volumes = pod.getSpec().getVolumes();
        if (volumes == null) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (V1Volume volume : volumes) {
            String name = claimOf(pod, volume);
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    /** The name of the claim of a pod's volume; null if the volume has none. */
    public static @Nullable String claimOf(V1Pod pod, V1Volume volume) {
        return volume.getPersistentVolumeClaim() != null
                ? volume.getPersistentVolumeClaim().getClaimName()
                : volume.getEphemeral() != null ? pod.getMetadata().getName() + "-" + volume.getName() : null;
    }

    /** Why the claim of an ephemeral volume does not belong to its pod; null if it does. */
    public static @Nullable String whyNotFor(V1Pod pod, V1PersistentVolumeClaim claim) {
        return OwnerReferences.isControlledBy(claim, pod.getMetadata())
                ? null
                : "PVC " + ObjectKey.of(claim) + " was not created for pod " + ObjectKey.of(pod)
                        + " (pod is not owner)";
    }
}
