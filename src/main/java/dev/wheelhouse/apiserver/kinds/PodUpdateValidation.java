package dev.wheelhouse.apiserver.kinds;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonKey;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.QosClass;

/** The rules of changes of pods (upstream: {@code ValidatePodUpdate} and its siblings). */
final class PodUpdateValidation {
    private static final String ONLY = "pod updates may not change fields other than `spec.containers[*].image`,"
            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`"
            + " (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1"
            + " if it was previously negative)";

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
                copy(before.path(list).get(i), (ObjectNode) result.path(list).get(i), "image");
            }
        }
        for (String field : List.of("activeDeadlineSeconds", "schedulingGates", "tolerations")) {
            copy(before, result, field);
        }
        if (Json.number(before, 0, "terminationGracePeriodSeconds") < 0
                && Json.number(spec, 0, "terminationGracePeriodSeconds") == 1) {
            copy(before, result, "terminationGracePeriodSeconds");
        }
        if (!before.path("schedulingGates").isEmpty()) {
            for (Map.Entry<String, JsonNode> old : before.path("nodeSelector").properties()) {
                if (!old.getValue().equals(spec.path("nodeSelector").get(old.getKey()))) {
                    problems.invalid("spec.nodeSelector", Problems.sorted(spec.get("nodeSelector")),
                            "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
                    break;
                }
            }
            copy(before, result, "nodeSelector");
        }
        return result;
    }

    private static void copy(JsonNode from, ObjectNode to, String field) {
        JsonNode value = from.get(field);
        if (value == null) {
            to.remove(field);
        } else {
            to.set(field, value);
        }
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
            PodValidation.pod(object, problems);
            resources(object.path("spec"), old.path("spec"), problems);
            if (!withoutResources(object).equals(withoutResources(old))) {
                problems.forbidden("spec",
                        "only cpu and memory resources are mutable\n" + difference(withoutResources(old),
                                withoutResources(object)));
            }
        }
    }

    private static void resources(JsonNode spec, JsonNode before, Problems problems) {
        String quality = QosClass.of(before);
        if (!quality.equals(QosClass.of(spec))) {
            problems.invalid("spec", quality, "Pod QOS Class may not change as a result of resizing");
        }
        for (String list : List.of("initContainers", "containers")) {
            Map<String, JsonNode> named = new HashMap<>();
            spec.path(list).forEach(container -> named.putIfAbsent(Json.text(container, "name"), container));
            Problems.each(before.path(list), "spec." + list, (container, at) -> {
                JsonNode now = named.getOrDefault(Json.text(container, "name"), container);
                for (String kind : List.of("requests", "limits")) {
                    if (!now.at("/resources/" + kind).propertyNames()
                            .containsAll(container.at("/resources/" + kind).propertyNames())) {
                        problems.forbidden(at + ".resources." + kind, "resource " + kind + " cannot be removed");
                    }
                }
            });
        }
    }

    private static ObjectNode withoutResources(ObjectNode pod) {
        ObjectNode spec = ((ObjectNode) pod.path("spec")).deepCopy();
        for (String list : List.of("containers", "initContainers")) {
            if (spec.get(list) instanceof ArrayNode containers) {
                containers.forEach(container -> ((ObjectNode) container).remove("resources"));
            }
        }
        spec.remove("resources");
        return spec;
    }
}
