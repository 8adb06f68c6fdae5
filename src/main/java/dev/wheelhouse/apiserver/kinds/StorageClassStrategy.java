package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Storage classes (upstream: {@code pkg/registry/storage/storageclass}). */
final class StorageClassStrategy extends Strategy {
    StorageClassStrategy() {
        super("storage.k8s.io", "StorageClass", Set.of(Trait.RETURNS_DELETED),
                TableColumn.named(o -> o.name() + (isDefault(o) ? " (default)" : "")),
                TableColumn.of("Provisioner", "Driver that makes the volumes.", o -> o.text("provisioner")),
                TableColumn.of("ReclaimPolicy", "Whether a volume is deleted or kept once its claim is gone.",
                        o -> o.textOr("Delete", "reclaimPolicy")),
                TableColumn.of("VolumeBindingMode", "When volumes are made and bound.",
                        o -> o.textOr("Immediate", "volumeBindingMode")),
                TableColumn.of("AllowVolumeExpansion", "Whether a claim may grow.",
                        o -> o.flag("allowVolumeExpansion")),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.storage.v1.StorageClass", storageClass -> {
            set(storageClass, "reclaimPolicy", "Delete");
            set(storageClass, "volumeBindingMode", "Immediate");
        });
    }

    private static boolean isDefault(Item storageClass) {
        Item annotations = storageClass.part("metadata", "annotations");
        return annotations.text("storageclass.kubernetes.io/is-default-class").equals("true")
                || annotations.text("storageclass.beta.kubernetes.io/is-default-class").equals("true");
    }

    @Override
    protected void validate(ObjectNode storageClass, Problems problems) {
        problems.formed("provisioner", Json.text(storageClass, "provisioner").toLowerCase(Locale.ROOT),
                Formats::qualifiedName);
        problems.oneOfIfSet("reclaimPolicy", Json.text(storageClass, "reclaimPolicy"), "Delete", "Retain");
        problems.oneOfIfSet("volumeBindingMode", Json.text(storageClass, "volumeBindingMode"), "Immediate",
                "WaitForFirstConsumer");
        int i = 0;
        Set<JsonNode> terms = new HashSet<>();
        for (JsonNode term : storageClass.path("allowedTopologies")) {
            String at = Problems.at("allowedTopologies", i++) + ".matchLabelExpressions";
            topology(term.path("matchLabelExpressions"), at, problems);
            problems.unique(terms, term.path("matchLabelExpressions"), at, "\"\"");
        }
    }

    private static void topology(JsonNode expressions, String path, Problems problems) {
        Set<String> keys = new HashSet<>();
        Problems.each(expressions, path, (expression, at) -> {
            String key = Json.text(expression, "key");
            problems.filled(expression, at, "values");
            Set<String> values = new HashSet<>();
            Problems.each(expression, at, "values",
                    (value, field) -> problems.unique(values, value.asString(""), field, value.toString()));
            problems.invalid(at + ".key", key, Formats.qualifiedName(key));
            problems.unique(keys, key, at + ".key", "\"" + key + "\"");
        });
    }

    @Override
    protected void validateUpdate(ObjectNode storageClass, ObjectNode old, Problems problems) {
        if (!storageClass.path("parameters").equals(old.path("parameters"))) {
            problems.forbidden("parameters", "updates to parameters are forbidden.");
        }
        if (!storageClass.path("provisioner").equals(old.path("provisioner"))) {
            problems.forbidden("provisioner", "updates to provisioner are forbidden.");
        }
        problems.immutable("reclaimPolicy", storageClass.get("reclaimPolicy"), old.get("reclaimPolicy"));
        problems.immutable("volumeBindingMode", storageClass.get("volumeBindingMode"), old.get("volumeBindingMode"));
    }
}
