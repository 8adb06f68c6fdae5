package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.NONE;
import static dev.wheelhouse.apiserver.table.Item.UNSET;

/** Volumes and claims. */
final class VolumePrinters {
    private static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
    private static final Map<String, String> MODES = Map.of("ReadWriteOnce", "RWO", "ReadOnlyMany", "ROX",
            "ReadWriteMany", "RWX", "ReadWriteOncePod", "RWOP");
    private static final List<String> MODE_ORDER = List.of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
            "ReadWriteOncePod");

    private VolumePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("/PersistentVolume", List.of(Column.objectName(),
                Column.of("Capacity", "Size of the volume.", o -> o.scalarOr("0", "spec", "capacity", "storage")),
                Column.of("Access Modes", "How nodes may mount the volume.", o -> modes(o, "spec", "accessModes")),
                Column.of("Reclaim Policy", "What becomes of the volume once its claim is gone.",
                        o -> o.text("spec", "persistentVolumeReclaimPolicy")),
                phase(),
                Column.of("Claim", "Claim that the volume is bound to.", VolumePrinters::claim),
                storageClass(), attributesClass(),
                Column.of("Reason", "Why the volume failed.", o -> o.text("status", "reason")),
                Column.age(), volumeMode()));
        all.put("/PersistentVolumeClaim", List.of(Column.objectName(), phase(),
                Column.of("Volume", "Volume that the claim is bound to.", o -> o.text("spec", "volumeName")),
                Column.of("Capacity", "Size of the bound volume.",
                        o -> bound(o) ? o.scalarOr("0", "status", "capacity", "storage") : ""),
                Column.of("Access Modes", "How nodes may mount the bound volume.",
                        o -> bound(o) ? modes(o, "status", "accessModes") : ""),
                storageClass(), attributesClass(), Column.age(), volumeMode()));
    }

    private static Column phase() {
        return Column.of("Status", "Whether it is bound.", o -> o.deleting()
                ? "Terminating"
                : o.text("status",
                        "phase"));
    }

    private static Column storageClass() {
        return Column.of("StorageClass", "Class that it belongs to.",
                o -> o.has("metadata", "annotations", CLASS_ANNOTATION)
                        ? o.text("metadata", "annotations", CLASS_ANNOTATION)
                        : o.text("spec", "storageClassName"));
    }

    private static Column attributesClass() {
        return Column.of("VolumeAttributesClass", "Class of its changeable attributes.",
                o -> o.textOr(UNSET, "spec", "volumeAttributesClassName"));
    }

    private static Column volumeMode() {
        return Column.of("VolumeMode", "Whether it is a file system or a block device.",
                o -> o.textOr(UNSET, "spec", "volumeMode")).wide();
    }

    private static boolean bound(Item claim) {
        return !claim.text("spec", "volumeName").isEmpty();
    }

    private static String claim(Item volume) {
        return volume.has("spec", "claimRef")
                ? volume.text("spec", "claimRef", "namespace") + "/" + volume.text("spec", "claimRef", "name")
                : "";
    }

    private static String modes(Item item, String... path) {
        List<String> present = item.texts(path);
        List<String> modes = new ArrayList<>();
        for (String mode : MODE_ORDER) {
            if (present.contains(mode)) {
                modes.add(MODES.getOrDefault(mode, mode));
            }
        }
        return String.join(",", modes);
    }
}
