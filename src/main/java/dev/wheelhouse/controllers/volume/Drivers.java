package dev.wheelhouse.controllers.volume;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;

import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.volumes.CsiMigration;
import dev.wheelhouse.volumes.Volumes;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The drivers that make and delete the storage of volumes. Most are external. For host paths and NFS
 * kube-controller-manager has code of its own (upstream: {@code findProvisionablePlugin} and
 * {@code findDeletablePlugin} in {@code pv_controller.go}, {@code pkg/volume/hostpath}). Pure functions.
 */
final class Drivers {
    /** The driver of volumes on host paths, the only in-tree one that makes and deletes volumes. */
    static final String HOST_PATH = "kubernetes.io/host-path";

    private static final String NFS = "kubernetes.io/nfs";
    private static final String IN_TREE = "kubernetes.io/";

    private Drivers() {}

    static boolean isInTree(String provisioner) {
        return provisioner.startsWith(IN_TREE);
    }

    /** Whether somebody else deletes a volume that is released. */
    static boolean isDeletedByOthers(V1PersistentVolume volume) {
        String provisioner = orEmpty(Metadata.annotation(volume, Volumes.PROVISIONED_BY));
        return !provisioner.isEmpty()
                ? !isInTree(CsiMigration.successorOf(provisioner))
                : volume.getSpec().getCsi() != null || Volumes.isAnnotated(volume, Migration.MIGRATED_TO);
    }

    /** Why no provisioner can be asked; null for an external one. */
    static @Nullable String whyNotProvisioning(String provisioner) {
        return !isInTree(provisioner)
                ? null
                : provisioner.equals(NFS)
                        ? "no provisionable volume plugin matched"
                        : "no volume plugin matched name: " + provisioner;
    }

    /** Why the driver of host paths makes no volume for a claim; null if it does. */
    static @Nullable String whyNotMade(V1PersistentVolumeClaim claim) {
        return "Block".equals(claim.getSpec().getVolumeMode())
                ? HOST_PATH + " does not support block volume provisioning"
                : null;
    }

    /** Why no in-tree driver deletes a volume; null if one does. */
    static @Nullable String whyNotFound(V1PersistentVolume volume) {
        String provisioner = orEmpty(Metadata.annotation(volume, Volumes.PROVISIONED_BY));
        boolean named = !provisioner.isEmpty();
        if (named ? provisioner.equals(HOST_PATH) : volume.getSpec().getHostPath() != null) {
            return null;
        }
        boolean isNfs = named ? provisioner.equals(NFS) : volume.getSpec().getNfs() != null;
        String why = isNfs
                ? "no deletable volume plugin matched"
                : "no volume plugin matched" + (named ? " name: " + provisioner : "");
        return named
                ? why
                : "error getting deleter volume plugin for volume \"" + volume.getMetadata().getName() + "\": " + why;
    }

    /** The in-tree driver of a volume, as metrics name it; {@code N/A} if it has none. */
    static String driverOf(V1PersistentVolume volume) {
        return volume.getSpec().getHostPath() != null ? HOST_PATH : volume.getSpec().getNfs() != null ? NFS : "N/A";
    }

    /** Why the driver of host paths cannot delete a volume; null if it can. It deletes no files. */
    static @Nullable String whyNotDeletable(V1PersistentVolume volume) {
        V1HostPathVolumeSource path = volume.getSpec().getHostPath();
        if (path == null) {
            return "failed to create deleter for volume \"" + volume.getMetadata().getName()
                    + "\": spec.PersistentVolumeSource.HostPath is nil";
        }
        return path.getPath().matches(".*/tmp/.+")
                ? null
                : "host_path deleter only supports /tmp/.+ but received provided " + path.getPath();
    }
}
