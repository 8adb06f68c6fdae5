package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Containers;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** Stateful sets, whose claim templates are volumes of their pods (upstream: {@code pkg/registry/apps/statefulset}). */
final class StatefulSetStrategy extends Strategy {
    private static final List<String> MUTABLE = List.of("replicas", "template", "updateStrategy", "minReadySeconds",
            "ordinals", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy");

    StatefulSetStrategy() {
        super("apps", "StatefulSet", TableColumn.objectName(), WorkloadRules.READY, TableColumn.age(),
                Containers.names("spec", "template").wide(), Containers.images("spec", "template").wide());
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.dnsLabel(name);
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.apps.v1.StatefulSetSpec", StatefulSetStrategy::fillIn);
    }

    private static void fillIn(ObjectNode spec) {
        set(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        if (Json.text(strategy, "type").isEmpty()) {
            strategy.put("type", "RollingUpdate");
            Json.child(strategy, "rollingUpdate");
        }
        if (Json.text(strategy, "type").equals("RollingUpdate")
                && strategy.get("rollingUpdate") instanceof ObjectNode r) {
            set(r, "partition", 0);
        }
        ObjectNode retention = Json.child(spec, "persistentVolumeClaimRetentionPolicy");
        set(retention, "whenDeleted", "Retain");
        set(retention, "whenScaled", "Retain");
        set(spec, "replicas", 1);
        set(spec, "revisionHistoryLimit", 10);
        if (spec.get("volumeClaimTemplates") instanceof ArrayNode claims) {
            for (JsonNode claim : claims) {
                set((ObjectNode) claim, "apiVersion", "v1");
                set((ObjectNode) claim, "kind", "PersistentVolumeClaim");
            }
        }
    }

    @Override
    protected void create(ObjectNode statefulSet, User writer, ClusterState state) {
        dropMaxUnavailable(statefulSet);
    }

    @Override
    protected void update(ObjectNode statefulSet, ObjectNode old, ClusterState state) {
        dropMaxUnavailable(statefulSet);
    }

    /** The field has no effect unless a feature is enabled that is disabled by default. */
    private static void dropMaxUnavailable(ObjectNode statefulSet) {
        if (Json.at(statefulSet, "spec", "updateStrategy", "rollingUpdate") instanceof ObjectNode rolling) {
            rolling.remove("maxUnavailable");
        }
    }

    @Override
    public void warn(ObjectNode statefulSet, @Nullable ObjectNode old, List<String> warnings) {
        if (Json.number(statefulSet, 0, "spec", "revisionHistoryLimit") < 0) {
            warnings.add("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0"
                    + " is recommended");
        }
    }

    /** The name of the service and the claim templates never change, so they are checked only here. */
    @Override
    protected void validate(ObjectNode statefulSet, Problems problems) {
        JsonNode spec = statefulSet.path("spec");
        problems.formedIfSet("spec.serviceName", Json.text(spec, "serviceName"), Formats::dnsLabel);
        Problems.each(spec, "spec", "volumeClaimTemplates", (template,
                at) -> PersistentVolumeClaimStrategy.validateSpec(template.path("spec"), at + ".spec", problems));
        validateSpec(spec, problems);
    }

    private static void validateSpec(JsonNode spec, Problems problems) {
        String management = Json.text(spec, "podManagementPolicy");
        if (management.isEmpty()) {
            problems.required("spec.podManagementPolicy");
        } else if (!management.equals("OrderedReady") && !management.equals("Parallel")) {
            problems.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
        }
        rollout(spec.path("updateStrategy"), problems);
        for (String field : List.of("whenDeleted", "whenScaled")) {
            String policy = Json.text(spec, "persistentVolumeClaimRetentionPolicy", field);
            problems.supported("spec.persistentVolumeClaimRetentionPolicy." + field, policy, "Retain", "Delete");
        }
        problems.nonNegative(spec, "spec", "replicas");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        problems.nonNegative(spec.path("ordinals"), "spec.ordinals", "start");
        JsonNode selector = Json.at(spec, "selector");
        if (!WorkloadRules.selector(selector, "statefulset", "", problems)) {
            return;
        }
        if (!Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            WorkloadRules.mismatch(spec, problems);
        }
        PodValidation.template(asInPods(spec), "spec.template", problems);
        WorkloadRules.restartsAlways(spec, "StatefulSet", problems);
    }

    private static void rollout(JsonNode strategy, Problems problems) {
        String path = "spec.updateStrategy";
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        switch (Json.text(strategy, "type")) {
            case "" -> problems.required(path);
            case "OnDelete" -> {
                if (rolling != null) {
                    problems.invalid(path + ".rollingUpdate", rolling,
                            "only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            case "RollingUpdate" -> {
                if (rolling != null) {
                    problems.nonNegative(rolling, path + ".rollingUpdate", "partition");
                }
            }
            default -> problems.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
        }
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

    @Override
    protected void validateUpdate(ObjectNode statefulSet, ObjectNode old, Problems problems) {
        validateSpec(statefulSet.path("spec"), problems);
        ObjectNode spec = ((ObjectNode) statefulSet.path("spec")).deepCopy();
        ObjectNode before = ((ObjectNode) old.path("spec")).deepCopy();
        spec.remove(MUTABLE);
        before.remove(MUTABLE);
        if (!spec.equals(before)) {
            problems.forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals',"
                    + " 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy'"
                    + " and 'minReadySeconds' are forbidden");
        }
    }

    @Override
    protected void validateStatus(ObjectNode statefulSet, ObjectNode old, Problems problems) {
        JsonNode status = statefulSet.path("status");
        WorkloadRules.countsAreNonNegative(status, problems, "replicas", "readyReplicas", "currentReplicas",
                "updatedReplicas", "availableReplicas", "observedGeneration", "collisionCount");
        WorkloadRules.notMoreThanReplicas(status, "status.readyReplicas", problems, "readyReplicas", "currentReplicas",
                "updatedReplicas", "availableReplicas");
        WorkloadRules.collisionsGrow(status, old, problems);
    }
}
