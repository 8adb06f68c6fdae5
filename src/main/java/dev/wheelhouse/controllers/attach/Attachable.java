package dev.wheelhouse.controllers.attach;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1CSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1FCVolumeSource;
import io.kubernetes.client.openapi.models.V1ISCSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1ISCSIVolumeSource;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1Volume;

import dev.wheelhouse.runtime.Hashes;

/**
 * A volume that is attached to a node before pods use it: one of a CSI driver, of Fibre Channel or of iSCSI. The last
 * two need no work and are reported at once. Volumes of drivers within Kubernetes that external ones have replaced are
 * not among them (upstream: {@code GetVolumeName} in {@code pkg/volume/csi}, {@code fc}, {@code iscsi};
 * {@code IsMultiAttachAllowed} in {@code pkg/controller/volume/attachdetach/util}).
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
     * @param volume the name of the PersistentVolume; null if only the status of a node names the volume
     */
    record Csi(String driver, String handle, @Nullable String volume) {
        /** The name of the VolumeAttachment for a node. */
        String attachment(String node) {
            return "csi-" + Hashes.sha256(handle + driver + node);
        }
    }

    /** The volume of a PersistentVolume; null if it is not attached to nodes. */
    static @Nullable Attachable of(V1PersistentVolume volume) {
        String title = String.valueOf(volume.getMetadata().getName());
        List<String> modes = Objects.requireNonNullElse(volume.getSpec().getAccessModes(), List.of());
        boolean exclusive = !modes.isEmpty() && !modes.contains("ReadWriteMany") && !modes.contains("ReadOnlyMany");
        V1CSIPersistentVolumeSource csi = volume.getSpec().getCsi();
        V1ISCSIPersistentVolumeSource iscsi = volume.getSpec().getIscsi();
        if (csi != null) {
            return new Attachable(CSI + csi.getDriver() + "^" + csi.getVolumeHandle(), title,
                    new Csi(csi.getDriver(), csi.getVolumeHandle(), title), exclusive);
        }
        String name = volume.getSpec().getFc() != null
                ? name(volume.getSpec().getFc())
                : iscsi != null ? name(iscsi.getTargetPortal(), iscsi.getIqn(), iscsi.getLun()) : null;
        return name == null ? null : new Attachable(name, title, null, exclusive);
    }

    /** The volume that a pod defines by itself; null if it is not attached to nodes. */
    static @Nullable Attachable of(V1Volume volume) {
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
                ? new Csi(name.substring(CSI.length(), separator), name.substring(separator + 1), null)
                : null, false);
    }

    private static String name(V1FCVolumeSource fc) {
        return "kubernetes.io/fc/" + (fc.getTargetWWNs() != null && !fc.getTargetWWNs().isEmpty() && fc.getLun() != null
                ? "[" + String.join(" ", fc.getTargetWWNs()) + "]:" + fc.getLun()
                : "[" + String.join(" ", Objects.requireNonNullElse(fc.getWwids(), List.of())) + "]");
    }

    private static String name(String portal, String iqn, int lun) {
        return "kubernetes.io/iscsi/" + portal + ":" + iqn + ":" + lun;
    }
}
