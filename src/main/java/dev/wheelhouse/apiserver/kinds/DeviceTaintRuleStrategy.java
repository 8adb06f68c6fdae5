package dev.wheelhouse.apiserver.kinds;

import java.util.Set;

import dev.wheelhouse.apiserver.table.Column;

/** Taints of devices (upstream: {@code pkg/registry/resource/devicetaintrule}). */
final class DeviceTaintRuleStrategy extends Strategy {
    DeviceTaintRuleStrategy() {
        super("resource.k8s.io", "DeviceTaintRule", Set.of(Trait.COUNTS_GENERATIONS), Column.objectName(),
                Column.of("Key", "Key of the taint.", o -> o.text("spec", "taint", "key")),
                Column.of("Value", "Value of the taint.", o -> o.text("spec", "taint", "value")),
                Column.of("Effect", "Effect of the taint on pods.", o -> o.text("spec", "taint", "effect")),
                Column.of("TimeAdded", "How long the taint has been there.",
                        o -> o.has("spec", "taint", "timeAdded") ? o.since("spec", "taint", "timeAdded") : ""),
                Column.age());
    }
}
