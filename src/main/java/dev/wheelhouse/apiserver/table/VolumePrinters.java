package dev.wheelhouse.apiserver.table;

import java.util.List;
import java.util.Map;

import static dev.wheelhouse.apiserver.table.Item.NONE;
import static dev.wheelhouse.apiserver.table.Item.UNSET;

/** Volumes, claims, and group {@code storage.k8s.io}. */
final class VolumePrinters {

    private VolumePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put("storage.k8s.io/StorageClass", List.of(
                Column.named(o -> o.name() + (isDefault(o) ? " (default)" : "")),
                Column.of("Provisioner", "Who makes the volumes.", o -> o.text("provisioner")),
                Column.of("ReclaimPolicy", "What becomes of a volume once its claim is gone.",
                        o -> o.textOr("Delete", "reclaimPolicy")),
                Column.of("VolumeBindingMode", "When volumes are made and bound.",
                        o -> o.textOr("Immediate", "volumeBindingMode")),
                Column.of("AllowVolumeExpansion", "Whether a claim may grow.", o -> o.flag("allowVolumeExpansion")),
                Column.age()));
        all.put("storage.k8s.io/VolumeAttributesClass", List.of(Column.objectName(),
                Column.of("DriverName", "Driver that the attributes are for.", o -> o.text("driverName")),
                Column.age()));
        all.put("storage.k8s.io/VolumeAttachment", List.of(Column.objectName(),
                Column.of("Attacher", "Driver that attaches the volume.", o -> o.text("spec", "attacher"))
                        .format("name"),
                Column.of("PV", "Volume to attach.", o -> o.text("spec", "source", "persistentVolumeName")),
                Column.of("Node", "Node to attach it to.", o -> o.text("spec", "nodeName")),
                Column.bool("Attached", "Whether it is attached.", o -> o.flag("status", "attached")),
                Column.age()));
        all.put("storage.k8s.io/CSINode", List.of(Column.objectName(),
                Column.integer("Drivers", "How many drivers the node has.", o -> o.size("spec", "drivers")),
                Column.age()));
        all.put("storage.k8s.io/CSIDriver", List.of(Column.objectName(),
                Column.bool("AttachRequired", "Whether volumes must be attached before they are mounted.",
                        o -> o.flagOr(true, "spec", "attachRequired")),
                Column.bool("PodInfoOnMount", "Whether the driver is told which pod mounts.",
                        o -> o.flag("spec", "podInfoOnMount")),
                Column.bool("StorageCapacity", "Whether the scheduler looks at the driver's capacity.",
                        o -> o.flag("spec", "storageCapacity")),
                Column.of("TokenRequests", "Audiences of the tokens that the driver gets.",
                        o -> o.has("spec", "tokenRequests")
                                ? o.join(t -> t.text("audience"), "spec", "tokenRequests")
                                : UNSET),
                Column.bool("RequiresRepublish", "Whether volumes are published again and again.",
                        o -> o.flag("spec", "requiresRepublish")),
                Column.of("Modes", "Lifecycles of volumes that the driver supports.",
                        o -> o.size("spec", "volumeLifecycleModes") == 0
                                ? NONE
                                : String.join(",", o.texts("spec", "volumeLifecycleModes"))),
                Column.age()));
    }

    private static boolean isDefault(Item storageClass) {
        Item annotations = storageClass.part("metadata", "annotations");
        return annotations.text("storageclass.kubernetes.io/is-default-class").equals("true")
                || annotations.text("storageclass.beta.kubernetes.io/is-default-class").equals("true");
    }
}
