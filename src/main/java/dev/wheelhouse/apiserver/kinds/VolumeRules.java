package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;

/** Cells that volumes and their claims share. */
final class VolumeRules {
    static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
    /** Each access mode with its short form, in the order in which kubectl prints them. */
    private static final List<Map.Entry<String, String>> ACCESS_MODES = List.of(Map.entry("ReadWriteOnce", "RWO"),
            Map.entry("ReadOnlyMany", "ROX"), Map.entry("ReadWriteMany", "RWX"),
            Map.entry("ReadWriteOncePod", "RWOP"));

    private VolumeRules() {}

    /** The phase of a volume or claim, or that it is being deleted. */
    static String phase(Item item) {
        return item.deleting() ? "Terminating" : item.text("status", "phase");
    }

    static String storageClass(Item item) {
        return item.has("metadata", "annotations", CLASS_ANNOTATION)
                ? item.text("metadata", "annotations", CLASS_ANNOTATION)
                : item.text("spec", "storageClassName");
    }

    /** The access modes at a path in short form, as in {@code RWO,ROX}. */
    static String accessModes(Item item, String... path) {
        List<String> present = item.texts(path);
        return String.join(",", ACCESS_MODES.stream().filter(mode -> present.contains(mode.getKey()))
                .map(Map.Entry::getValue).toList());
    }
}
