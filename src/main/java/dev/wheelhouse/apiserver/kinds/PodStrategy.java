package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.defaults.PodDefaults;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.QosClass;
import dev.wheelhouse.facts.ResourceInfo;

/** Pods. A pod on a node has a grace period to end (upstream: {@code pkg/registry/core/pod}). */
final class PodStrategy extends Strategy {
    private static final String OBSERVED = "observedGeneration";

    PodStrategy() {
        super("", "Pod",
                Map.of("ready", o -> PodState.of(o).ready(), "reason", o -> PodState.of(o).reason(), "restarts",
                        o -> PodState.of(o).restarts(), "ip", PodStrategy::ip, "readinessGates",
                        PodStrategy::readinessGates));
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        PodDefaults.addTo(rules);
    }

    private static String ip(Item pod) {
        List<Item> ips = pod.items("status", "podIPs");
        return ips.isEmpty() ? pod.textOr(Item.NONE, "status", "podIP") : ips.getFirst().textOr(Item.NONE, "ip");
    }

    private static String readinessGates(Item pod) {
        List<Item> gates = pod.items("spec", "readinessGates");
        if (gates.isEmpty()) {
            return Item.NONE;
        }
        long open = gates.stream().filter(gate -> pod.isTrue(gate.text("conditionType"))).count();
        return open + "/" + gates.size();
    }

    /** Marks the row of a pod that has ended, so that kubectl can tell it from the others. */
    @Override
    public void addRowConditions(Item pod, ObjectNode row) {
        String phase = pod.text("status", "phase");
        if (phase.equals("Succeeded") || phase.equals("Failed")) {
            row.putArray("conditions").addObject().put("type", "Completed").put("status", "True").put("reason", phase)
                    .put("message", phase.equals("Succeeded")
                            ? "All containers of the pod have succeeded."
                            : "The pod has failed.");
        }
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        JsonNode spec = object.path("spec");
        ObjectNode status = object.putObject("status").put("phase", "Pending").put("qosClass", QosClass.of(spec));
        if (!spec.path("schedulingGates").isEmpty()) {
            status.putArray("conditions").addObject().put("type", "PodScheduled").put("status", "False")
                    .putNull("lastProbeTime").put("lastTransitionTime", Meta.time(state.clock().now()))
                    .put("reason", "SchedulingGated")
                    .put("message", "Scheduling is blocked due to non-empty scheduling gates");
        }
        JsonNode labels = object.path("metadata").path("labels");
        for (String affinity : List.of("podAffinity", "podAntiAffinity")) {
            JsonNode terms = spec.path("affinity").path(affinity);
            terms.path("preferredDuringSchedulingIgnoredDuringExecution")
                    .forEach(term -> selectByOwnLabels(term.path("podAffinityTerm"), labels));
            terms.path("requiredDuringSchedulingIgnoredDuringExecution")
                    .forEach(term -> selectByOwnLabels(term, labels));
        }
        spec.path("topologySpreadConstraints").forEach(constraint -> selectByOwnLabels(constraint, labels));
    }

    /** Adds the pod's own values of {@code matchLabelKeys} and {@code mismatchLabelKeys} to the selector. */
    private static void selectByOwnLabels(JsonNode term, JsonNode labels) {
        if (!(Json.at(term, "labelSelector") instanceof ObjectNode selector)) {
            return;
        }
        for (String keys : List.of("matchLabelKeys", "mismatchLabelKeys")) {
            for (JsonNode key : term.path(keys)) {
                JsonNode value = labels.get(key.asString(""));
                if (value != null) {
                    selector.withArray("matchExpressions").addObject().put("key", key.asString(""))
                            .put("operator", keys.equals("matchLabelKeys") ? "In" : "NotIn").putArray("values")
                            .add(value);
                }
            }
        }
    }

    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        if (subresource.equals("ephemeralcontainers")) {
            keepAllButEphemeralContainers(object, old);
        }
        super.prepareForUpdate(info, subresource, object, old, state);
    }

    private static void keepAllButEphemeralContainers(ObjectNode pod, ObjectNode old) {
        JsonNode wanted = Json.at(pod, "spec", "ephemeralContainers");
        Meta.set(pod, "spec", old.path("spec").deepCopy());
        Meta.set(Json.child(pod, "spec"), "ephemeralContainers", wanted);
        for (String field : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
            Meta.copy(Meta.of(old), Meta.of(pod), field);
        }
    }

    @Override
    protected void updateStatus(ObjectNode object, ObjectNode old, ClusterState state) {
        Meta.copy(Meta.of(old), Meta.of(object), "ownerReferences");
        keepObserved(object.path("status"), old.path("status"));
        if (object.get("status") instanceof ObjectNode status && Json.text(status, "qosClass").isEmpty()) {
            Meta.copy((ObjectNode) old.path("status"), status, "qosClass");
        }
        Map<String, JsonNode> before = new HashMap<>();
        old.at("/status/conditions").forEach(condition -> before.putIfAbsent(Json.text(condition, "type"), condition));
        for (JsonNode condition : object.at("/status/conditions")) {
            JsonNode had = before.remove(Json.text(condition, "type"));
            if (had != null) {
                keepObserved(condition, had);
            }
        }
    }

    /** Writers that do not know the generation leave the observed one as it was. */
    private static void keepObserved(JsonNode now, JsonNode before) {
        JsonNode observed = before.path(OBSERVED);
        if (now instanceof ObjectNode form && form.path(OBSERVED).asLong(0) == 0 && observed.asLong(0) != 0) {
            form.set(OBSERVED, observed);
        }
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        PodUpdateValidation.update(object, old, problems);
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        PodUpdateValidation.subresource(subresource, object, old, problems);
    }

    @Override
    public Long graceSeconds(ObjectNode pod, @Nullable Long asked) {
        if (Json.text(pod, "spec", "nodeName").isEmpty() || isOver(pod)) {
            return 0L;
        }
        long grace = asked == null ? Json.number(pod, 30, "spec", "terminationGracePeriodSeconds") : asked;
        return grace < 0 ? 1 : grace;
    }

    private static boolean isOver(ObjectNode pod) {
        return Set.of("Succeeded", "Failed").contains(Json.text(pod, "status", "phase"));
    }
}
