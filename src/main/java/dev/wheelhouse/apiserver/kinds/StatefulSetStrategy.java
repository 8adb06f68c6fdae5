package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Selectors;
import dev.wheelhouse.apiserver.validation.Subject;

/** Stateful sets, whose claim templates are volumes of their pods (upstream: {@code pkg/registry/apps/statefulset}). */
final class StatefulSetStrategy extends Strategy {
    private static final List<String> MUTABLE = List.of("replicas", "template", "updateStrategy", "minReadySeconds",
            "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy");

    StatefulSetStrategy() {
        super("apps", "StatefulSet", Map.of("readyOfWanted", WorkloadRules::readyOfWanted));
    }

    static void statefulTemplate(Subject spec) {
        JsonNode selector = Json.at(spec.value(), "selector");
        if (!WorkloadRules.selector(selector, "statefulset", "", spec.problems())) {
            return;
        }
        if (!Selectors.matches(selector, Json.at(spec.value(), "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec.value(), spec.problems());
        }
        check("StatefulSetTemplate", asInPods(spec.value()), null, "spec.template", spec.problems());
    }

    /**
     * The pod template as the controller uses it: with a volume for each claim template, because containers may mount
     * those, and without the hostname and the subdomain, which each pod gets from its set.
     */
    private static JsonNode asInPods(JsonNode spec) {
        if (!(spec.path("template").deepCopy() instanceof ObjectNode template)) {
            return spec.path("template");
        }
        ObjectNode podSpec = Json.child(template, "spec");
        podSpec.remove(List.of("hostname", "subdomain"));
        if (spec.path("volumeClaimTemplates").isEmpty()) {
            return template;
        }
        ArrayNode volumes = podSpec.get("volumes") instanceof ArrayNode present ? present : podSpec.putArray("volumes");
        for (JsonNode claim : spec.path("volumeClaimTemplates")) {
            String name = Json.text(claim, "metadata", "name");
            volumes.removeIf(volume -> Json.text(volume, "name").equals(name));
            volumes.addObject().put("name", name).putObject("persistentVolumeClaim").put("claimName", name);
        }
        return template;
    }

    static void mostStays(Subject spec) {
        ObjectNode now = ((ObjectNode) spec.value()).deepCopy();
        ObjectNode before = ((ObjectNode) spec.old()).deepCopy();
        now.remove(MUTABLE);
        before.remove(MUTABLE);
        if (!now.equals(before)) {
            spec.problems().forbidden(spec.path(), "updates to statefulset spec for fields other than 'replicas', "
                    + "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
                    + "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
        }
    }
}
