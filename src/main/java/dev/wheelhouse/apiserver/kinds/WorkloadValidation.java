package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Selectors;

/** The rules of the workloads of the apps group, and of replication controllers (upstream: {@code pkg/apis/apps/validation/validation.go}). */
final class WorkloadValidation {
    private static final String MISMATCH = "`selector` does not match template `labels`";

    private WorkloadValidation() {}

    static void deployment(ObjectNode deployment, Problems problems) {
        JsonNode spec = deployment.path("spec");
        problems.nonNegative(spec, "spec", "replicas");
        selectorAndTemplate(spec, "deployment", "ReplicaSet", problems);
        deploymentStrategy(spec.path("strategy"), problems);
        problems.nonNegative(spec, "spec", "minReadySeconds");
        problems.nonNegative(spec, "spec", "revisionHistoryLimit");
        problems.nonNegative(spec, "spec", "progressDeadlineSeconds");
        long deadline = Json.number(spec, Long.MAX_VALUE, "progressDeadlineSeconds");
        if (deadline <= Json.number(spec, 0, "minReadySeconds")) {
            problems.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
        }
    }

    static void replicaSet(ObjectNode replicaSet, Problems problems) {
        JsonNode spec = replicaSet.path("spec");
        problems.nonNegative(spec, "spec", "replicas");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        selectorAndTemplate(spec, "deployment", "ReplicaSet", problems);
    }

    static void replicationController(ObjectNode controller, Problems problems) {
        JsonNode spec = controller.path("spec");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        if (spec.path("selector").isEmpty()) {
            problems.required("spec.selector");
        }
        problems.nonNegative(spec, "spec", "replicas");
        if (Json.at(spec, "template") == null) {
            problems.required("spec.template");
            return;
        }
        if (!spec.path("selector").isEmpty() && !selectorMatchesTemplate(controller)) {
            mismatch(spec, problems);
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        restartsAlways(spec, "ReplicationController", problems);
    }

    private static void selectorAndTemplate(JsonNode spec, String owner, String kind, Problems problems) {
        JsonNode selector = Json.at(spec, "selector");
        if (!selector(selector, owner, "invalid label selector", problems)) {
            return;
        }
        boolean matches = selector != null && (Selectors.isEmpty(selector)
                || Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels")));
        if (!matches) {
            mismatch(spec, problems);
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        restartsAlways(spec, kind, problems);
    }

    /**
     * @param detail what is said of a selector that cannot be read
     * @return whether labels can be compared with it
     */
    private static boolean selector(@Nullable JsonNode selector, String owner, String detail, Problems problems) {
        if (selector == null) {
            problems.required("spec.selector");
            return true;
        }
        Selectors.validate(selector, "spec.selector", problems);
        if (Selectors.isEmpty(selector)) {
            problems.invalid("spec.selector", Selectors.printed(selector), "empty selector is invalid for " + owner);
        }
        if (Selectors.isValid(selector)) {
            return true;
        }
        problems.invalid("spec.selector", Selectors.printed(selector), detail);
        return false;
    }

    private static void mismatch(JsonNode spec, Problems problems) {
        problems.invalid("spec.template.metadata.labels",
                Problems.sorted(Json.at(spec, "template", "metadata", "labels")), MISMATCH);
    }

    private static void restartsAlways(JsonNode spec, String kind, Problems problems) {
        String policy = Json.text(spec, "template", "spec", "restartPolicy");
        if (!policy.equals("Always")) {
            problems.notSupported("spec.template.spec.restartPolicy", policy, "Always");
        }
        if (Json.at(spec, "template", "spec", "activeDeadlineSeconds") != null) {
            problems.forbidden("spec.template.spec.activeDeadlineSeconds",
                    "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    private static void deploymentStrategy(JsonNode strategy, Problems problems) {
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        switch (Json.text(strategy, "type")) {
            case "Recreate" -> {
                if (rolling != null) {
                    problems.forbidden("spec.strategy.rollingUpdate",
                            "may not be specified when strategy `type` is 'Recreate'");
                }
            }
            case "RollingUpdate" -> {
                if (rolling == null) {
                    problems.required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil");
                    return;
                }
                String path = "spec.strategy.rollingUpdate";
                JsonNode unavailable = rolling.get("maxUnavailable");
                intOrPercent(unavailable, path + ".maxUnavailable", problems);
                intOrPercent(rolling.get("maxSurge"), path + ".maxSurge", problems);
                if (amount(unavailable) == 0 && amount(rolling.get("maxSurge")) == 0) {
                    problems.invalid(path + ".maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0");
                }
                atMostAll(unavailable, path + ".maxUnavailable", problems);
            }
            default -> problems.notSupported("spec.strategy", strategy, "Recreate", "RollingUpdate");
        }
    }

    static void intOrPercent(@Nullable JsonNode value, String path, Problems problems) {
        if (value == null) {
            return;
        }
        if (value.isString()) {
            Formats.percent(value.stringValue()).forEach(message -> problems.invalid(path, value, message));
        } else if (value.asLong(0) < 0) {
            problems.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    static void atMostAll(@Nullable JsonNode value, String path, Problems problems) {
        if (value != null && value.isString() && amount(value) > 100) {
            problems.invalid(path, value, "must not be greater than 100%");
        }
    }

    /** The number, or that of the percentage; 0 where it is neither. */
    private static long amount(@Nullable JsonNode value) {
        if (value == null) {
            return 0;
        }
        if (!value.isString()) {
            return value.asLong(0);
        }
        String text = value.stringValue();
        if (!Formats.percent(text).isEmpty()) {
            return 0;
        }
        return text.length() > 10 ? Integer.MAX_VALUE : Long.parseLong(text.substring(0, text.length() - 1));
    }

    static void daemonSet(ObjectNode daemonSet, Problems problems) {
        JsonNode spec = daemonSet.path("spec");
        JsonNode selector = Json.at(spec, "selector");
        Selectors.validate(selector, "spec.selector", problems);
        if (selector == null || Selectors.isValid(selector)
                && !Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            mismatch(spec, problems);
        }
        if (selector != null && Selectors.isEmpty(selector)) {
            problems.invalid("spec.selector", Selectors.printed(selector), "empty selector is invalid for daemonset");
        }
        PodValidation.template(spec.path("template"), "spec.template", problems);
        restartsAlways(spec, "DaemonSet", problems);
        problems.nonNegative(spec, "spec", "minReadySeconds");
        JsonNode strategy = spec.path("updateStrategy");
        switch (Json.text(strategy, "type")) {
            case "OnDelete" -> {
                // nothing more to say
            }
            case "RollingUpdate" -> daemonSetRolling(strategy, problems);
            default -> problems.notSupported("spec.updateStrategy", Json.text(strategy, "type"), "RollingUpdate",
                    "OnDelete");
        }
        problems.nonNegative(spec, "spec", "revisionHistoryLimit");
    }

    private static void daemonSetRolling(JsonNode strategy, Problems problems) {
        String path = "spec.updateStrategy.rollingUpdate";
        JsonNode rolling = Json.at(strategy, "rollingUpdate");
        if (rolling == null) {
            problems.required(path);
            return;
        }
        for (String field : List.of("maxUnavailable", "maxSurge")) {
            intOrPercent(rolling.get(field), path + "." + field, problems);
        }
        for (String field : List.of("maxUnavailable", "maxSurge")) {
            atMostAll(rolling.get(field), path + "." + field, problems);
        }
        boolean unavailable = amount(rolling.get("maxUnavailable")) != 0;
        boolean surge = amount(rolling.get("maxSurge")) != 0;
        if (unavailable && surge) {
            problems.invalid(path + ".maxSurge", rolling.get("maxSurge"),
                    "may not be set when maxUnavailable is non-zero");
        } else if (!unavailable && !surge) {
            problems.required(path + ".maxUnavailable", "cannot be 0 when maxSurge is 0");
        }
    }

    static void statefulSet(ObjectNode statefulSet, Problems problems) {
        JsonNode spec = statefulSet.path("spec");
        String management = Json.text(spec, "podManagementPolicy");
        if (management.isEmpty()) {
            problems.required("spec.podManagementPolicy");
        } else if (!management.equals("OrderedReady") && !management.equals("Parallel")) {
            problems.invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
        }
        statefulSetStrategy(spec.path("updateStrategy"), problems);
        for (String field : List.of("whenDeleted", "whenScaled")) {
            String policy = Json.text(spec, "persistentVolumeClaimRetentionPolicy", field);
            if (!policy.equals("Retain") && !policy.equals("Delete")) {
                problems.notSupported("spec.persistentVolumeClaimRetentionPolicy." + field, policy, "Retain", "Delete");
            }
        }
        problems.nonNegative(spec, "spec", "replicas");
        problems.nonNegative(spec, "spec", "minReadySeconds");
        problems.nonNegative(spec.path("ordinals"), "spec.ordinals", "start");
        JsonNode selector = Json.at(spec, "selector");
        if (!selector(selector, "statefulset", "", problems)) {
            return;
        }
        if (!Selectors.matches(selector, Json.at(spec, "template", "metadata", "labels"))) {
            mismatch(spec, problems);
        }
        PodValidation.template(withClaimVolumes(spec), "spec.template", problems);
        restartsAlways(spec, "StatefulSet", problems);
    }

    private static void statefulSetStrategy(JsonNode strategy, Problems problems) {
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
                    JsonNode unavailable = rolling.get("maxUnavailable");
                    intOrPercent(unavailable, path + ".rollingUpdate.maxUnavailable", problems);
                    if (unavailable != null && amount(unavailable) == 0) {
                        problems.invalid(path + ".rollingUpdate.maxUnavailable", unavailable, "cannot be 0");
                    }
                    atMostAll(unavailable, path + ".rollingUpdate.maxUnavailable", problems);
                }
            }
            default -> problems.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }

    /** The template with a volume for each claim template, which its containers may mount. */
    private static JsonNode withClaimVolumes(JsonNode spec) {
        if (spec.path("volumeClaimTemplates").isEmpty() || !(spec.path("template") instanceof ObjectNode template)) {
            return spec.path("template");
        }
        ObjectNode result = template.deepCopy();
        ObjectNode podSpec = Json.child(result, "spec");
        ArrayNode volumes = podSpec.get("volumes") instanceof ArrayNode present ? present : podSpec.putArray("volumes");
        for (JsonNode claim : spec.path("volumeClaimTemplates")) {
            String name = Json.text(claim, "metadata", "name");
            volumes.removeIf(volume -> Json.text(volume, "name").equals(name));
            volumes.addObject().put("name", name).putObject("persistentVolumeClaim").put("claimName", name);
        }
        return result;
    }

    static void statefulSetUpdate(ObjectNode statefulSet, ObjectNode old, Problems problems) {
        statefulSet(statefulSet, problems);
        ObjectNode spec = ((ObjectNode) statefulSet.path("spec")).deepCopy();
        ObjectNode before = ((ObjectNode) old.path("spec")).deepCopy();
        List<String> mutable = List.of("replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
                "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy");
        spec.remove(mutable);
        before.remove(mutable);
        if (!spec.equals(before)) {
            problems.forbidden("spec", "updates to statefulset spec for fields other than 'replicas', 'ordinals',"
                    + " 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                    + " 'minReadySeconds' are forbidden");
        }
    }

    /** Whether a workload's selector matches the labels of its pod template; true where there is no selector yet. */
    static boolean selectorMatchesTemplate(ObjectNode workload) {
        JsonNode selector = Json.at(workload, "spec", "selector");
        JsonNode labels = Json.at(workload, "spec", "template", "metadata", "labels");
        if (selector == null) {
            return true;
        }
        if (Json.text(workload, "kind").equals("ReplicationController")) {
            ObjectNode full = Json.object();
            full.set("matchLabels", selector);
            return Selectors.matches(full, labels);
        }
        return Selectors.isValid(selector) && Selectors.matches(selector, labels);
    }

    /** Refuses a change of the selector. */
    static void selectorStays(ObjectNode object, ObjectNode old, Problems problems) {
        JsonNode now = object.path("spec").get("selector");
        JsonNode before = old.path("spec").get("selector");
        if (now == null ? before != null : !now.equals(before)) {
            problems.invalid("spec.selector", Selectors.printed(now), "field is immutable");
        }
    }
}
