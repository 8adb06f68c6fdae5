package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The directories of the volumes that are bound to claims (upstream: {@code desired_state_of_world_populator.go}).
 * Thread safe.
 */
record Claims(KubeClient client, NodeFolders folders) {
    private static final int MODE = 0777;

    /** @param hasGroup whether its files get the group of the pod */
    record Found(Path directory, boolean hasGroup) {}

    static boolean isClaim(V1Volume volume) {
        return volume.getPersistentVolumeClaim() != null || volume.getEphemeral() != null;
    }

    /** @throws ConfigProblem if the claim is not bound, or to a volume that this node cannot show */
    Found find(V1Pod pod, V1Volume volume) throws ConfigProblem, IOException {
        boolean ephemeral = volume.getPersistentVolumeClaim() == null;
        ObjectKey key = ObjectKey.of(pod.getMetadata().getNamespace(), ephemeral
                ? pod.getMetadata().getName() + "-" + volume.getName()
                : volume.getPersistentVolumeClaim().getClaimName());
        V1PersistentVolumeClaim claim = client
                .resource(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class).find(key)
                .orElseThrow(() -> problem(key, "failed to fetch PVC from API server: persistentvolumeclaims \""
                        + key.name() + "\" not found"));
        String name = orEmpty(claim.getSpec().getVolumeName());
        if (claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase()) || !Names.isSubdomain(name)) {
            throw problem(key, "PVC is not bound");
        }
        if (ephemeral && !OwnerReferences.isControlledBy(claim, pod.getMetadata())) {
            throw new ConfigProblem("PVC " + key + " was not created for pod " + ObjectKey.of(pod)
                    + " (pod is not owner)");
        }
        V1PersistentVolume bound = client.resource(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class)
                .find(ObjectKey.cluster(name)).orElseThrow(() -> problem(key, "failed to fetch PV " + name
                        + " from API server: persistentvolumes \"" + name + "\" not found"));
        V1ObjectReference reference = bound.getSpec().getClaimRef();
        if (reference == null || !Objects.equals(reference.getUid(), claim.getMetadata().getUid())) {
            throw problem(key, "found PV object " + name + " but its pv.Spec.ClaimRef does not point to the claim");
        }
        if ("Block".equals(bound.getSpec().getVolumeMode())) {
            throw new ConfigProblem("volume " + volume.getName()
                    + " has volumeMode Block, but is specified in volumeMounts");
        }
        return new Found(directory(name, bound.getSpec()), bound.getSpec().getHostPath() == null);
    }

    private static ConfigProblem problem(ObjectKey claim, String why) {
        return new ConfigProblem("error processing PVC " + claim + ": " + why);
    }

    private Path directory(String name, V1PersistentVolumeSpec spec) throws ConfigProblem, IOException {
        if (spec.getHostPath() != null) {
            PodVolumes.checkHostPath(spec.getHostPath());
            return Path.of(spec.getHostPath().getPath());
        }
        if (spec.getLocal() != null) {
            Path path = Path.of(spec.getLocal().getPath());
            if (!Files.isDirectory(path)) {
                throw new ConfigProblem("path \"" + path + "\" does not exist");
            }
            return path;
        }
        if (spec.getCsi() == null || !Volumes.HOLLOW_DRIVER.equals(spec.getCsi().getDriver())) {
            throw new ConfigProblem("this node cannot show the volume " + name
                    + ": it knows local, hostPath, and the volumes of the embedded provisioner");
        }
        Path path = folders.claimed(name);
        if (!Files.exists(path)) {
            Files.createDirectories(path);
            PodFiles.permit(path, MODE, null);
        }
        return path;
    }
}
