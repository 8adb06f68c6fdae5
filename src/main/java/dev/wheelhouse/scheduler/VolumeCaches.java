package dev.wheelhouse.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.volumes.Volumes;

/**
 * The scheduler's view of claims and volumes: the caches, and the volumes that decisions have taken and no cache shows
 * as taken yet (upstream: {@code plugins/volumebinding/binder.go}, {@code assume_cache.go}). Thread safe.
 */
final class VolumeCaches {
    private static final String OF_CLASS = "scheduler/class";

    final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    final SharedIndexInformer<V1PersistentVolume> volumes;
    final SharedIndexInformer<V1StorageClass> classes;
    /** The claims for which decisions have taken volumes, by the volumes' names. */
    private final Map<String, ObjectKey> taken = new ConcurrentHashMap<>();

    VolumeCaches(SharedInformerFactory factory) {
        claims = factory.informer(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        volumes = factory.informer(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        classes = factory.informer(ResourceType.STORAGE_CLASSES, V1StorageClass.class);
        volumes.getIndexer().addIndex(OF_CLASS, volume -> List.of(Volumes.classOf(volume)));
    }

    void close() {
        volumes.getIndexer().removeIndex(OF_CLASS);
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
        return found.isEmpty() ? PodVolumes.NONE : of(found);
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
                waiting.add(new PodVolumes.Waiting(claim, storageClass, candidates(claim, className)));
            }
            if (claim.getSpec().getAccessModes() != null
                    && claim.getSpec().getAccessModes().contains("ReadWriteOncePod")) {
                exclusive.add(ObjectKey.of(claim));
            }
        }
        return new PodVolumes("", bound, missing, waiting, exclusive);
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
