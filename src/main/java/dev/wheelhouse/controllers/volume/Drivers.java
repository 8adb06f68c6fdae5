package dev.wheelhouse.controllers.volume;

import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1PersistentVolume;

import dev.wheelhouse.controller.Volumes;

/**
 * The drivers that make and delete the storage of volumes. Most are external. For host paths and NFS
 * kube-controller-manager has code of its own (upstream: {@code findProvisionablePlugin} and
 * {@code findDeletablePlugin} in {@code pv_controller.go}, {@code pkg/volume/csimigration}). Pure functions.
 */
final class Drivers {
    private static final String IN_TREE = "kubernetes.io/";
    /** The external drivers that have replaced drivers within Kubernetes. */
    private static final Map<String, String> SUCCESSORS = Map.of(
            "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
            "kubernetes.io/azure-disk", "disk.csi.azure.com",
            "kubernetes.io/azure-file", "file.csi.azure.com",
            "kubernetes.io/cinder", "cinder.csi.openstack.org",
            "kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
            "kubernetes.io/portworx-volume", "pxd.portworx.com",
            "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com");

    private Drivers() {}

    /** The provisioner that does the work of the named one. */
    static String successorOf(String provisioner) {
        return SUCCESSORS.getOrDefault(provisioner, provisioner);
    }

    static boolean isInTree(String provisioner) {
        return provisioner.startsWith(IN_TREE);
    }

    /** Whether somebody else deletes a volume that is released. */
    static boolean isDeletedByOthers(V1PersistentVolume volume) {
        String provisioner = Objects.requireNonNullElse(Volumes.annotation(volume, Volumes.PROVISIONED_BY), "");
        return !provisioner.isEmpty()
                ? !isInTree(successorOf(provisioner))
                : volume.getSpec().getCsi() != null || Volumes.isAnnotated(volume, "pv.kubernetes.io/migrated-to");
    }

    /** Why this controller cannot delete a volume; null if it can. It deletes no files. */
    static @Nullable String whyNotDeletable(V1PersistentVolume volume) {
        String provisioner = Objects.requireNonNullElse(Volumes.annotation(volume, Volumes.PROVISIONED_BY), "");
        if (!provisioner.isEmpty()) {
            return "no volume plugin matched name: " + provisioner;
        }
        V1HostPathVolumeSource path = volume.getSpec().getHostPath();
        if (path == null) {
            String why = volume.getSpec().getNfs() != null || volume.getSpec().getFc() != null
                    || volume.getSpec().getIscsi() != null
                            ? "no deletable volume plugin matched"
                            : "no volume plugin matched";
            return "error getting deleter volume plugin for volume \"" + volume.getMetadata().getName() + "\": " + why;
        }
        return path.getPath().matches(".*/tmp/.+")
                ? null
                : "host_path deleter only supports /tmp/.+ but received provided " + path.getPath();
    }
}
