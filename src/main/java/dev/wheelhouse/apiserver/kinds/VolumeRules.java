package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** Columns and rules that volumes and their claims share (upstream: {@code pkg/apis/core/validation/validation.go}). */
final class VolumeRules {
    static final TableColumn PHASE = TableColumn.of("Status", "Whether it is bound.",
            o -> o.deleting() ? "Terminating" : o.text("status", "phase"));
    static final TableColumn STORAGE_CLASS = TableColumn.of("StorageClass", "Class that it belongs to.",
            VolumeRules::storageClass);
    static final TableColumn ATTRIBUTES_CLASS = TableColumn.of("VolumeAttributesClass",
            "Class of its changeable attributes.",
            o -> o.textOr(Item.UNSET, "spec", "volumeAttributesClassName"));
    static final TableColumn MODE = TableColumn.of("VolumeMode", "Whether it is a file system or a block device.",
            o -> o.textOr(Item.UNSET, "spec", "volumeMode")).wide();

    static final String CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
    /** Each access mode with its short form, in the order in which kubectl prints them. */
    private static final List<Map.Entry<String, String>> ACCESS_MODES = List.of(Map.entry("ReadWriteOnce", "RWO"),
            Map.entry("ReadOnlyMany", "ROX"), Map.entry("ReadWriteMany", "RWX"),
            Map.entry("ReadWriteOncePod", "RWOP"));

    private VolumeRules() {}

    private static String storageClass(Item item) {
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

    static void accessModes(JsonNode spec, String path, Problems problems) {
        boolean exclusive = false;
        boolean shared = false;
        for (JsonNode mode : spec.path("accessModes")) {
            exclusive |= mode.asString("").equals("ReadWriteOncePod");
            shared |= !mode.asString("").equals("ReadWriteOncePod");
            problems.oneOf(path + ".accessModes", mode.asString(""), "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                    "ReadWriteOncePod");
        }
        if (exclusive && shared) {
            problems.forbidden(path + ".accessModes", "may not use ReadWriteOncePod with other access modes");
        }
    }

    static void classAndMode(JsonNode spec, String path, Problems problems) {
        problems.formedIfSet(path + ".storageClassName", Json.text(spec, "storageClassName"),
                Formats::dnsSubdomain);
        problems.oneOfIfSet(path + ".volumeMode", Json.text(spec, "volumeMode"), "Block", "Filesystem");
    }
}
