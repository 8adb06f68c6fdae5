package dev.wheelhouse.controllers.attach;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1FCVolumeSource;
import io.kubernetes.client.openapi.models.V1ISCSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1ISCSIVolumeSource;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.runtime.Hashes;
import dev.wheelhouse.volumes.CsiMigration;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * A volume that is attached to a node before pods use it: one of a CSI driver, of Fibre Channel or of iSCSI. The last
 * two need no work and are reported at once. Volumes of replaced drivers are those of the CSI drivers that have
 * replaced them (upstream: {@code GetVolumeName} in {@code pkg/volume/csi}, {@code fc}, {@code iscsi};
 * {@code IsMultiAttachAllowed} in {@code pkg/volume/util}; {@code CreateVolumeSpec} in
 * {@code pkg/controller/volume/attachdetach/util}).
 *
 * @param name the name in the status of nodes
 * @param title the name in Events: that of the PersistentVolume, or of the volume in the pod
 * @param csi the driver; null for Fibre Channel and iSCSI
 * @param exclusive whether the volume may be attached to one node only
 */
record Attachable(String name, String title, @Nullable Csi csi, boolean exclusive) {
    private static final String CSI = "kubernetes.io/csi/";

    /**
     * A volume of a CSI driver.
     *
     * @param volume the name of the PersistentVolume; null if there is none, or only the status of a node names it
     * @param spec the volume that a pod defines by a replaced driver; null for any other one
     */
    record Csi(String driver, String handle, @Nullable String volume, @Nullable V1PersistentVolumeSpec spec) {
        /** The name of the volume in the status of nodes. */
        String name() {
            return CSI + driver + "^" + handle;
        }

        /** The volume that its VolumeAttachments name: a PersistentVolume, or one that a pod defines. */
        String source() {
            return volume == null ? name() : volume;
        }

        /** The name of the VolumeAttachment for a node. */
        String attachment(String node) {
            return "csi-" + Hashes.sha256(handle + driver + node);
        }
    }

    /** The volume of a PersistentVolume; null if it is not attached to nodes. */
    static @Nullable Attachable of(V1PersistentVolume declared) {
        V1PersistentVolume volume = CsiMigration.asCsi(declared);
        if (volume == null) {
            return null;
        }
        String title = String.valueOf(volume.getMetadata().getName());
        V1CSIPersistentVolumeSource csi = volume.getSpec().getCsi();
        if (csi != null) {
            Csi its = new Csi(csi.getDriver(), csi.getVolumeHandle(), title, null);
            return new Attachable(its.name(), title, its, isExclusive(volume.getSpec()));
        }
        V1ISCSIPersistentVolumeSource iscsi = volume.getSpec().getIscsi();
        String name = volume.getSpec().getFc() != null
                ? name(volume.getSpec().getFc())
                : iscsi != null ? name(iscsi.getTargetPortal(), iscsi.getIqn(), iscsi.getLun()) : null;
        return name == null ? null : new Attachable(name, title, null, isExclusive(volume.getSpec()));
    }

    /** The volume of a VolumeAttachment for a pod that defines it. */
    static Attachable of(V1PersistentVolumeSpec spec) {
        V1CSIPersistentVolumeSource csi = spec.getCsi();
        Csi its = new Csi(csi.getDriver(), csi.getVolumeHandle(), null, spec);
        return new Attachable(its.name(), its.name(), its, isExclusive(spec));
    }

    private static boolean isExclusive(V1PersistentVolumeSpec spec) {
        List<String> modes = orEmpty(spec.getAccessModes());
        return !modes.isEmpty() && !modes.contains("ReadWriteMany") && !modes.contains("ReadOnlyMany");
    }

    /** The volume that a pod of a namespace defines by itself; null if it is not attached to nodes. */
    static @Nullable Attachable of(V1Volume volume, String namespace) {
        V1PersistentVolume replaced = CsiMigration.asCsi(volume, namespace);
        if (replaced != null) {
            Attachable its = of(replaced.getSpec());
            return new Attachable(its.name(), String.valueOf(replaced.getMetadata().getName()), its.csi(),
                    its.exclusive());
        }
        V1ISCSIVolumeSource iscsi = volume.getIscsi();
        String name = volume.getFc() != null
                ? name(volume.getFc())
                : iscsi != null ? name(iscsi.getTargetPortal(), iscsi.getIqn(), iscsi.getLun()) : null;
        return name == null ? null : new Attachable(name, volume.getName(), null, false);
    }

    /** The volume that a node's status names. */
    static Attachable reported(String name) {
        int separator = name.indexOf('^');
        return new Attachable(name, name, name.startsWith(CSI) && separator > 0
                ? new Csi(name.substring(CSI.length(), separator), name.substring(separator + 1), null, null)
                : null, false);
    }

    private static String name(V1FCVolumeSource fc) {
        return "kubernetes.io/fc/" + (fc.getTargetWWNs() != null && !fc.getTargetWWNs().isEmpty() && fc.getLun() != null
                ? "[" + String.join(" ", fc.getTargetWWNs()) + "]:" + fc.getLun()
                : "[" + String.join(" ", orEmpty(fc.getWwids())) + "]");
    }

    private static String name(String portal, String iqn, int lun) {
        return "kubernetes.io/iscsi/" + portal + ":" + iqn + ":" + lun;
    }
}
