package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonKey;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.validation.GoForm;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.QosClass;

/** The rules of changes of pods (upstream: {@code ValidatePodUpdate} and its siblings). */
final class PodUpdateValidation {
    private static final String ONLY = "pod updates may not change fields other than `spec.containers[*].image`,"
            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`"
            + " (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1"
            + " if it was previously negative)";

    private static final String REQUIREMENT = "[{\"Key\":\"\",\"Operator\":\"\",\"Values\":null}]";
    private static final JsonNode TERMS = Json.read(
            "[{\"MatchExpressions\":" + REQUIREMENT + ",\"MatchFields\":" + REQUIREMENT + "}]");
    private static final List<String> CHANGED_BY_RESIZE = List.of("cpu", "memory");

    private PodUpdateValidation() {}

    static void update(ObjectNode pod, ObjectNode old, Problems problems) {
        PodValidation.pod(pod, problems);
        PodValidation.annotationsUpdate(pod, old, problems);
        ObjectNode spec = (ObjectNode) pod.path("spec");
        ObjectNode before = (ObjectNode) old.path("spec");
        for (String list : List.of("containers", "initContainers")) {
            if (spec.path(list).size() != before.path(list).size()) {
                problems.forbidden("spec." + list, "pod updates may not add or remove containers");
                return;
            }
        }
        if (!deadline(spec, before, problems)) {
            return;
        }
        tolerations(spec, before, problems);
        gates(spec, before, problems);
        if (spec.equals(before)) {
            return;
        }
        ObjectNode allowed = withAllowedFieldsOf(before, spec, problems);
        if (!allowed.equals(before)) {
            problems.forbidden("spec", ONLY + "\n" + difference(before, allowed));
        }
    }

    /** Checks the active deadline. @return false if upstream checks nothing after the error */
    private static boolean deadline(ObjectNode spec, ObjectNode before, Problems problems) {
        String path = "spec.activeDeadlineSeconds";
        Long now = PodValidation.number(spec, "activeDeadlineSeconds");
        Long then = PodValidation.number(before, "activeDeadlineSeconds");
        if (now != null && (now < 0 || now > Integer.MAX_VALUE)) {
            problems.invalid(path, now, "must be between 0 and 2147483647, inclusive");
            return false;
        }
        if (now != null && then != null && then < now) {
            problems.invalid(path, now, "must be less than or equal to previous value");
            return false;
        }
        if (now == null && then != null) {
            problems.invalid(path, (JsonNode) null, "must not update from a positive integer to nil value");
        }
        return true;
    }

    private static void tolerations(ObjectNode spec, ObjectNode before, Problems problems) {
        Set<String> now = new HashSet<>();
        spec.path("tolerations").forEach(toleration -> now.add(JsonKey.of(withoutSeconds(toleration))));
        for (JsonNode old : before.path("tolerations")) {
            if (!now.contains(JsonKey.of(withoutSeconds(old)))) {
                problems.forbidden("spec.tolerations",
                        "existing toleration can not be modified except its tolerationSeconds");
                return;
            }
        }
    }

    private static ObjectNode withoutSeconds(JsonNode toleration) {
        ObjectNode copy = ((ObjectNode) toleration).deepCopy();
        copy.remove("tolerationSeconds");
        return copy;
    }

    private static void gates(ObjectNode spec, ObjectNode before, Problems problems) {
        Set<String> old = new HashSet<>();
        before.path("schedulingGates").forEach(gate -> old.add(Json.text(gate, "name")));
        int i = 0;
        for (JsonNode gate : spec.path("schedulingGates")) {
            String name = Json.text(gate, "name");
            if (!old.contains(name)) {
                problems.forbidden(Problems.at("spec.schedulingGates", i) + ".name",
                        "only deletion is allowed, but found new scheduling gate '" + name + "'");
            }
            i++;
        }
    }

    /** A copy of the new specification that has the old values in the fields that may change. */
    private static ObjectNode withAllowedFieldsOf(ObjectNode before, ObjectNode spec, Problems problems) {
        ObjectNode result = spec.deepCopy();
        for (String list : List.of("containers", "initContainers")) {
            for (int i = 0; i < before.path(list).size(); i++) {
                Meta.copy(before.path(list).get(i), (ObjectNode) result.path(list).get(i), "image");
            }
        }
        for (String field : List.of("activeDeadlineSeconds", "schedulingGates", "tolerations")) {
            Meta.copy(before, result, field);
        }
        if (Json.number(before, 0, "terminationGracePeriodSeconds") < 0
                && Json.number(spec, 0, "terminationGracePeriodSeconds") == 1) {
            Meta.copy(before, result, "terminationGracePeriodSeconds");
        }
        if (!before.path("schedulingGates").isEmpty()) {
            for (Map.Entry<String, JsonNode> old : before.path("nodeSelector").properties()) {
                if (!old.getValue().equals(spec.path("nodeSelector").get(old.getKey()))) {
                    problems.invalid("spec.nodeSelector", Problems.sorted(spec.get("nodeSelector")),
                            "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
                    break;
                }
            }
            Meta.copy(before, result, "nodeSelector");
            JsonNode affinity = before.path("affinity").path("nodeAffinity");
            if (!affinity.equals(spec.path("affinity").path("nodeAffinity"))) {
                narrowed(spec.path("affinity").path("nodeAffinity"), affinity, problems);
                if (result.get("affinity") instanceof ObjectNode changed) {
                    Meta.copy(before.path("affinity"), changed, "nodeAffinity");
                    if (changed.isEmpty() && !before.has("affinity")) {
                        result.remove("affinity");
                    }
                } else {
                    result.putObject("affinity").set("nodeAffinity", affinity);
                }
            }
        }
        return result;
    }

    /** A pod that waits for its gates gets no required node affinity that is wider than before. */
    private static void narrowed(JsonNode affinity, JsonNode before, Problems problems) {
        String list = "requiredDuringSchedulingIgnoredDuringExecution";
        String path = "spec.affinity.nodeAffinity." + list + ".nodeSelectorTerms";
        JsonNode old = before.path(list).path("nodeSelectorTerms");
        JsonNode now = affinity.path(list).path("nodeSelectorTerms");
        if (!old.isEmpty() && old.size() != now.size()) {
            problems.invalid(path, GoForm.of(TERMS, now),
                    "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
            return;
        }
        for (int i = 0; i < old.size(); i++) {
            JsonNode term = now.get(i);
            JsonNode was = old.get(i);
            boolean anything = was.path("matchExpressions").isEmpty() && was.path("matchFields").isEmpty();
            boolean wider = !startsWith(term.path("matchExpressions"), was.path("matchExpressions"))
                    || !startsWith(term.path("matchFields"), was.path("matchFields"));
            if (wider || anything && !(term.path("matchExpressions").isEmpty() && term.path("matchFields").isEmpty())) {
                problems.invalid(Problems.at(path, i), GoForm.of(TERMS.path(0), term),
                        "only additions are allowed (no mutations or deletions)");
            }
        }
    }

    private static boolean startsWith(JsonNode list, JsonNode beginning) {
        for (int i = 0; i < beginning.size(); i++) {
            if (!beginning.get(i).equals(list.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The fields that differ: the old values and the new ones, each in a line. */
    private static String difference(ObjectNode before, ObjectNode after) {
        StringBuilder out = new StringBuilder();
        Set<String> fields = new TreeSet<>(before.propertyNames());
        fields.addAll(after.propertyNames());
        for (String field : fields) {
            JsonNode old = before.get(field);
            JsonNode now = after.get(field);
            if (old == null ? now != null : !old.equals(now)) {
                if (old != null) {
                    out.append("- ").append(field).append(": ").append(old).append('\n');
                }
                if (now != null) {
                    out.append("+ ").append(field).append(": ").append(now).append('\n');
                }
            }
        }
        return out.toString();
    }

    /** The rules of a write to {@code ephemeralcontainers} or {@code resize}. */
    static void subresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        if (PodValidation.isMirror(old) && subresource.equals("ephemeralcontainers")) {
            problems.forbidden("[]", "static pods do not support ephemeral containers");
        } else if (PodValidation.isMirror(old) && subresource.equals("resize")) {
            problems.forbidden("[]", "static pods cannot be resized");
        } else if (subresource.equals("ephemeralcontainers")) {
            PodValidation.pod(object, problems);
            PodValidation.annotationsUpdate(object, old, problems);
            Map<String, JsonNode> now = new HashMap<>();
            object.path("spec").path("ephemeralContainers").forEach(c -> now.put(Json.text(c, "name"), c));
            for (JsonNode before : old.path("spec").path("ephemeralContainers")) {
                String name = Json.text(before, "name");
                JsonNode match = now.get(name);
                if (match == null) {
                    problems.forbidden("spec.ephemeralContainers",
                            "existing ephemeral containers \"" + name + "\" may not be removed\n");
                } else if (!match.equals(before)) {
                    problems.forbidden("spec.ephemeralContainers",
                            "existing ephemeral containers \"" + name + "\" may not be changed\n");
                }
            }
        } else if (subresource.equals("resize")) {
            resize(object, old, problems);
        }
    }

    private static void resize(ObjectNode pod, ObjectNode old, Problems problems) {
        JsonNode spec = pod.path("spec");
        JsonNode before = old.path("spec");
        if (Json.text(before, "os", "name").equals("windows")) {
            problems.forbidden("[]", "windows pods cannot be resized");
            return;
        }
        PodValidation.pod(pod, problems);
        String quality = QosClass.of(before);
        if (!quality.equals(QosClass.of(spec))) {
            problems.invalid("spec", quality, "Pod QOS Class may not change as a result of resizing");
        }
        JsonNode running = old.path("status").path("containerStatuses").valueStream()
                .filter(status -> Json.at(status, "state", "running") != null).findFirst().orElse(null);
        if (running != null && Json.at(running, "resources") == null) {
            problems.forbidden("spec", "Pod running on node without support for resize");
        }
        ObjectNode allowed = normal(spec);
        ObjectNode kept = normal(before);
        resizeOfPod(allowed, kept, problems);
        if (!haveSameContainers(spec, before, problems)) {
            return;
        }
        for (String list : List.of("initContainers", "containers")) {
            for (int i = 0; i < before.path(list).size(); i++) {
                ObjectNode container = (ObjectNode) allowed.path(list).get(i);
                JsonNode was = kept.path(list).get(i);
                String at = Problems.at("spec." + list, i);
                if (lacks(container, was, "requests")) {
                    problems.forbidden(at + ".resources.requests", "resource requests cannot be removed");
                }
                if (lacks(container, was, "limits")) {
                    problems.forbidden(at + ".resources.limits", "resource limits cannot be removed");
                }
                boolean isInit = list.equals("initContainers");
                boolean changes = !container.equals(was);
                Json.child(container, "resources").remove("claims");
                keepAmounts(container, was);
                if (!container.equals(was)) {
                    problems.forbidden(isInit ? at : "spec", isInit
                            ? "only cpu and memory resources for init or sidecar containers are mutable"
                            : "only cpu and memory resources are mutable");
                }
                boolean ends = isInit && !Json.text(container, "restartPolicy").equals("Always");
                for (JsonNode policy : container.path("resizePolicy")) {
                    if (changes && ends && Json.text(policy, "restartPolicy").equals("RestartContainer")) {
                        problems.forbidden(at, "non-sidecar init containers with a resize policy of RestartContainer"
                                + " cannot be resized");
                    }
                }
            }
        }
        if (problems.isEmpty() && !allowed.equals(kept)) {
            problems.forbidden("spec", "only cpu and memory resources are mutable");
        }
    }

    /** A copy of a specification in which no resources and empty ones look the same. */
    private static ObjectNode normal(JsonNode spec) {
        ObjectNode copy = ((ObjectNode) spec).deepCopy();
        withoutEmpty(copy);
        for (String list : List.of("initContainers", "containers")) {
            copy.path(list).forEach(container -> withoutEmpty((ObjectNode) container));
        }
        return copy;
    }

    private static void withoutEmpty(ObjectNode owner) {
        if (owner.get("resources") instanceof ObjectNode resources) {
            for (String list : List.of("requests", "limits", "claims")) {
                if (resources.path(list).isEmpty()) {
                    resources.remove(list);
                }
            }
            if (resources.isEmpty()) {
                owner.remove("resources");
            }
        }
    }

    private static boolean lacks(JsonNode now, JsonNode before, String list) {
        return !now.path("resources").path(list).propertyNames()
                .containsAll(before.path("resources").path(list).propertyNames());
    }

    /** Gives a container or a pod the amounts that it had before of the resources that a resize changes. */
    private static void keepAmounts(ObjectNode owner, JsonNode before) {
        ObjectNode resources = Json.child(owner, "resources");
        for (String list : List.of("requests", "limits")) {
            ObjectNode amounts = Json.child(resources, list);
            CHANGED_BY_RESIZE.forEach(name -> Meta.copy(before.path("resources").path(list), amounts, name));
        }
        withoutEmpty(owner);
    }

    private static void resizeOfPod(ObjectNode spec, ObjectNode before, Problems problems) {
        if (before.has("resources") && !spec.has("resources")) {
            problems.forbidden("spec.resources", "pod-level resources cannot be removed");
            return;
        }
        if (lacks(spec, before, "requests")) {
            problems.forbidden("spec.resources.requests", "pod-level resource requests cannot be removed");
        }
        if (lacks(spec, before, "limits")) {
            problems.forbidden("spec.resources.limits", "pod-level resource limits cannot be removed");
        }
        keepAmounts(spec, before);
        if (!spec.path("resources").equals(before.path("resources"))) {
            problems.forbidden("spec", "only cpu and memory resources are mutable at pod-level");
        }
    }

    private static boolean haveSameContainers(JsonNode spec, JsonNode before, Problems problems) {
        boolean same = true;
        for (String list : List.of("containers", "initContainers")) {
            if (spec.path(list).size() != before.path(list).size()) {
                problems.forbidden("spec." + list, list + " may not be added or removed on resize");
                same = false;
            }
            for (int i = 0; spec.path(list).size() == before.path(list).size() && i < spec.path(list).size(); i++) {
                if (!Json.text(spec.path(list).get(i), "name").equals(Json.text(before.path(list).get(i), "name"))) {
                    problems.forbidden(Problems.at("spec." + list, i) + ".name",
                            list + " may not be renamed or reordered on resize");
                    same = false;
                }
            }
        }
        return same;
    }
}
