package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;

/** Runtime classes (upstream: {@code pkg/registry/node/runtimeclass}). */
final class RuntimeClassStrategy extends Strategy {
    RuntimeClassStrategy() {
        super("node.k8s.io", "RuntimeClass", Set.of(Trait.CREATED_BY_UPDATE, Trait.UPDATED_BY_VERSION),
                TableColumn.objectName(),
                TableColumn.of("Handler", "Configuration of the container runtime.", o -> o.text("handler")),
                TableColumn.age());
    }

    @Override
    protected void validate(ObjectNode runtimeClass, Problems problems) {
        JsonNode scheduling = runtimeClass.path("scheduling");
        MetadataValidation.labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector", problems);
        PodValidation.tolerations(scheduling.path("tolerations"), "scheduling.tolerations", problems);
        Set<JsonNode> seen = new HashSet<>();
        Problems.each(scheduling.path("tolerations"), "scheduling.tolerations", (toleration, at) -> {
            problems.unique(seen, toleration, at, toleration.toString());
        });
        problems.formed("handler", Json.text(runtimeClass, "handler"), Formats::dnsLabel);
    }

    @Override
    protected void validateUpdate(ObjectNode runtimeClass, ObjectNode old, Problems problems) {
        problems.immutable("handler", runtimeClass.get("handler"), old.get("handler"));
    }
}
