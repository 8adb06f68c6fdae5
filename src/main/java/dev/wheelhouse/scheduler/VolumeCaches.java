package dev.wheelhouse.scheduler;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1CSIDriver;
import io.kubernetes.client.openapi.models.V1CSINode;
import io.kubernetes.client.openapi.models.V1CSIStorageCapacity;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The scheduler's view of claims and volumes: the caches, and the volumes that decisions have taken and no cache shows
 * as taken yet (upstream: {@code plugins/volumebinding/binder.go}, {@code assume_cache.go}). Thread safe.
 */
final class VolumeCaches {
    private static final String OF_CLASS = "scheduler/class";
    private static final String OF_NODE = "scheduler/node";

    final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    final SharedIndexInformer<V1PersistentVolume> volumes;
    final SharedIndexInformer<V1StorageClass> classes;
    final SharedIndexInformer<V1CSINode> nodes;
    final SharedIndexInformer<V1CSIDriver> drivers;
    final SharedIndexInformer<V1CSIStorageCapacity> capacities;
    final SharedIndexInformer<V1VolumeAttachment> attachments;
    /** The claims for which decisions have taken volumes, by the volumes' names. */
    private final Map<String, ObjectKey> taken = new ConcurrentHashMap<>();

    VolumeCaches(SharedInformerFactory factory) {
        claims = factory.informer(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        volumes = factory.informer(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        classes = factory.informer(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
        volumes.getIndexer().addIndex(OF_CLASS, volume -> List.of(Volumes.classOf(volume)));
        nodes = factory.informer(Volumes.CSI_NODES, V1CSINode.class);
        drivers = factory.informer(Volumes.CSI_DRIVERS, V1CSIDriver.class);
        capacities = factory.informer(Volumes.CAPACITIES, V1CSIStorageCapacity.class);
        attachments = factory.informer(Volumes.ATTACHMENTS, V1VolumeAttachment.class);
        attachments.getIndexer().addIndex(OF_NODE, each -> List.of(orEmpty(each.getSpec().getNodeName())));
    }

    void close() {
        volumes.getIndexer().removeIndex(OF_CLASS);
        attachments.getIndexer().removeIndex(OF_NODE);
    }

    void take(PodVolumes.Choice choice) {
        choice.bindings().forEach(binding -> taken.put(name(binding.volume()), ObjectKey.of(binding.claim())));
    }

    /** Forgets that a volume is taken, because the cache shows it. */
    void shown(V1PersistentVolume volume) {
        taken.remove(name(volume));
    }

    /** Gives volumes back that a decision took. */
    void release(PodVolumes.Choice choice) {
        choice.bindings().forEach(binding -> taken.remove(name(binding.volume()), ObjectKey.of(binding.claim())));
    }

    private static String name(V1PersistentVolume volume) {
        return String.valueOf(volume.getMetadata().getName());
    }

    /** The volumes of a pod (upstream: {@code PreFilter}). */
    PodVolumes of(V1Pod pod) {
        List<V1Volume> used = pod.getSpec().getVolumes();
        List<V1PersistentVolumeClaim> found = new ArrayList<>();
        for (V1Volume volume : used == null ? List.<V1Volume>of() : used) {
            String name = Volumes.claimOf(pod, volume);
            if (name != null) {
                V1PersistentVolumeClaim claim = claims.get(ObjectKey.of(namespace(pod), name));
                String problem = problem(pod, volume, name, claim);
                if (claim == null || problem != null) {
                    return PodVolumes.unusable(String.valueOf(problem));
                }
                found.add(claim);
            }
        }
        return used == null || used.isEmpty() ? PodVolumes.NONE : of(found);
    }

    private static String namespace(V1Pod pod) {
        return String.valueOf(pod.getMetadata().getNamespace());
    }

    /** Why a pod cannot use the claim of its volume, in upstream's words; null if it can. */
    private static @Nullable String problem(V1Pod pod, V1Volume volume, String name,
            @Nullable V1PersistentVolumeClaim claim) {
        boolean ephemeral = volume.getEphemeral() != null;
        if (claim == null) {
            return ephemeral
                    ? "waiting for ephemeral volume controller to create the persistentvolumeclaim \"" + name + "\""
                    : "persistentvolumeclaim \"" + name + "\" not found";
        }
        if (claim.getStatus() != null && "Lost".equals(claim.getStatus().getPhase())) {
            return "persistentvolumeclaim \"" + name + "\" bound to non-existent persistentvolume \""
                    + bound(claim) + "\"";
        }
        if (claim.getMetadata().getDeletionTimestamp() != null) {
            return "persistentvolumeclaim \"" + name + "\" is being deleted";
        }
        return ephemeral ? Volumes.whyNotFor(pod, claim) : null;
    }

    private PodVolumes of(List<V1PersistentVolumeClaim> found) {
        List<V1PersistentVolume> bound = new ArrayList<>();
        List<PodVolumes.Waiting> waiting = new ArrayList<>();
        List<ObjectKey> exclusive = new ArrayList<>();
        boolean missing = false;
        for (V1PersistentVolumeClaim claim : found) {
            if (isBound(claim)) {
                V1PersistentVolume volume = volumes.get(ObjectKey.cluster(bound(claim)));
                missing |= volume == null;
                if (volume != null) {
                    bound.add(volume);
                }
            } else {
                String className = Volumes.classOf(claim);
                V1StorageClass storageClass = className.isEmpty() ? null : classes.get(ObjectKey.cluster(className));
                if (storageClass == null || !Volumes.waitsForPod(storageClass) || !bound(claim).isEmpty()) {
                    return PodVolumes.unusable("pod has unbound immediate PersistentVolumeClaims");
                }
                waiting.add(new PodVolumes.Waiting(claim, storageClass, candidates(claim, className),
                        room(claim, storageClass)));
            }
            if (claim.getSpec().getAccessModes() != null
                    && claim.getSpec().getAccessModes().contains("ReadWriteOncePod")) {
                exclusive.add(ObjectKey.of(claim));
            }
        }
        return new PodVolumes("", bound, missing, waiting, exclusive, this::isOverLimit);
    }

    /** The nodes with enough free storage for a claim; null if nothing is known of it. */
    private @Nullable List<LabelSelector> room(V1PersistentVolumeClaim claim, V1StorageClass storageClass) {
        V1CSIDriver driver = drivers.get(ObjectKey.cluster(storageClass.getProvisioner()));
        BigDecimal wanted = Volumes.requested(claim);
        if (driver == null || !Boolean.TRUE.equals(driver.getSpec().getStorageCapacity()) || wanted.signum() == 0) {
            return null;
        }
        return capacities.getIndexer().list().stream()
                .filter(each -> storageClass.getMetadata().getName().equals(each.getStorageClassName())
                        && each.getNodeTopology() != null && holds(each, wanted))
                .map(each -> LabelSelector.of(each.getNodeTopology())).toList();
    }

    private static boolean holds(V1CSIStorageCapacity capacity, BigDecimal wanted) {
        Quantity most = capacity.getMaximumVolumeSize() == null
                ? capacity.getCapacity()
                : capacity.getMaximumVolumeSize();
        return most != null && most.getNumber().compareTo(wanted) >= 0;
    }

    /** Whether a pod has more volumes than may be attached to a node (upstream: {@code plugins/nodevolumelimits}). */
    private boolean isOverLimit(PodInfo pod, NodeInfo node) {
        V1CSINode csi = nodes.get(ObjectKey.cluster(node.name()));
        Map<String, Integer> limits = new HashMap<>();
        orEmpty(csi == null ? null : csi.getSpec().getDrivers()).stream()
                .filter(driver -> driver.getAllocatable() != null && driver.getAllocatable().getCount() != null)
                .forEach(driver -> limits.put(driver.getName(), driver.getAllocatable().getCount()));
        Map<String, String> wanted = limits.isEmpty() ? Map.of() : attachable(pod);
        if (wanted.values().stream().noneMatch(limits::containsKey)) {
            return false;
        }
        Map<String, String> attached = new HashMap<>();
        node.placed().forEach(each -> attached.putAll(attachable(each)));
        wanted.keySet().removeAll(attached.keySet());
        attachments.getIndexer().byIndex(OF_NODE, node.name()).forEach(each -> {
            String name = each.getSpec().getSource().getPersistentVolumeName();
            V1PersistentVolume volume = name == null ? null : volumes.get(ObjectKey.cluster(name));
            if (volume != null && volume.getSpec().getCsi() != null) {
                attached.put(each.getSpec().getAttacher() + "/" + volume.getSpec().getCsi().getVolumeHandle(),
                        each.getSpec().getAttacher());
            }
        });
        return limits.entrySet().stream().anyMatch(limit -> wanted.containsValue(limit.getKey())
                && Stream.concat(wanted.values().stream(), attached.values().stream())
                        .filter(limit.getKey()::equals).count() > limit.getValue());
    }

    /** The volumes of a pod that a CSI driver attaches: the drivers by the volumes' handles. */
    private Map<String, String> attachable(PodInfo pod) {
        Map<String, String> found = new HashMap<>();
        for (ObjectKey key : pod.claims()) {
            V1PersistentVolumeClaim claim = claims.get(key);
            V1PersistentVolume volume = claim == null || bound(claim).isEmpty()
                    ? null
                    : volumes.get(ObjectKey.cluster(bound(claim)));
            V1StorageClass storageClass = claim == null || volume != null
                    ? null
                    : classes.get(ObjectKey.cluster(Volumes.classOf(claim)));
            if (storageClass != null) {
                String driver = CsiMigration.successorOf(storageClass.getProvisioner());
                found.put(driver + "/claim " + key, driver);
            }
            add(found, volume == null ? null : CsiMigration.asCsi(volume));
        }
        pod.disks().forEach(disk -> add(found, CsiMigration.asCsi(disk, pod.key().namespace())));
        return found;
    }

    private static void add(Map<String, String> found, @Nullable V1PersistentVolume volume) {
        if (volume != null && volume.getSpec().getCsi() != null) {
            String driver = volume.getSpec().getCsi().getDriver();
            found.put(driver + "/" + volume.getSpec().getCsi().getVolumeHandle(), driver);
        }
    }

    private List<V1PersistentVolume> candidates(V1PersistentVolumeClaim claim, String className) {
        return volumes.getIndexer().byIndex(OF_CLASS, className).stream().filter(volume -> {
            ObjectKey by = taken.get(name(volume));
            return by == null || by.equals(ObjectKey.of(claim));
        }).toList();
    }

    /** The name of a claim's volume; empty if it has none. */
    private static String bound(V1PersistentVolumeClaim claim) {
        String name = claim.getSpec().getVolumeName();
        return name == null ? "" : name;
    }

    static boolean isBound(V1PersistentVolumeClaim claim) {
        return !bound(claim).isEmpty() && Volumes.isAnnotated(claim, Volumes.BIND_COMPLETED);
    }
}
