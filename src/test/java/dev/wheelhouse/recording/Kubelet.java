package dev.wheelhouse.recording;

import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/**
 * All kubelets and the scheduler. They act when a step says so: {@link #plan} decides which pods they change, {@link
 * #perform} changes them. A recording keeps the plan, so that a replay makes the same changes.
 */
final class Kubelet {
    static final List<String> VERBS = List.of("bind", "run", "ready", "unready", "succeed", "fail", "end");
    private static final String JOB_TRACKING = "batch.kubernetes.io/job-tracking";

    private final Wire wire;
    private final String namespace;
    private final Names names;
    private final Clock clock;

    Kubelet(Wire wire, String namespace, Names names, Clock clock) {
        this.wire = wire;
        this.namespace = namespace;
        this.names = names;
        this.clock = clock;
    }

    /**
     * The changes to make.
     *
     * @param step {@code all} for the next change of each pod that needs one, {@code one} for the first such pod, or
     *     pods by verb
     * @return pods by verb, by alias; null if there is nothing to do
     */
    @Nullable
    ObjectNode plan(JsonNode step, List<JsonNode> pods) {
        Map<String, List<ObjectNode>> plan = new LinkedHashMap<>();
        VERBS.forEach(verb -> plan.put(verb, new ArrayList<>()));
        Set<String> bound = new HashSet<>();
        Map<String, Integer> load = load(pods);
        if (step.isString()) {
            for (JsonNode pod : pods) {
                String verb = next(pod);
                if (verb != null) {
                    bindFirst(pod, verb, plan, bound, load);
                    plan.get(verb).add(entry(pod));
                    if (step.asString().equals("one")) {
                        break;
                    }
                }
            }
        } else {
            step.properties().forEach(e -> {
                if (!plan.containsKey(e.getKey())) {
                    throw new IllegalArgumentException("kubelet: " + e.getKey() + " is not one of " + VERBS);
                }
                for (JsonNode wanted : e.getValue()) {
                    for (JsonNode pod : chosen(wanted, e.getKey(), pods)) {
                        ObjectNode entry = wanted.isObject() ? (ObjectNode) wanted.deepCopy() : Json.object();
                        entry.put("pod", alias(pod));
                        if (e.getKey().equals("bind")) {
                            if (!entry.has("node")) {
                                entry.put("node", node(pod, load));
                            }
                        } else {
                            bindFirst(pod, e.getKey(), plan, bound, load);
                        }
                        plan.get(e.getKey()).add(entry);
                    }
                }
            });
        }
        ObjectNode form = Json.object();
        plan.forEach((verb, entries) -> {
            if (!entries.isEmpty()) {
                ArrayNode list = form.putArray(verb);
                entries.forEach(e -> {
                    if (e.size() == 1) {
                        list.add(e.get("pod"));
                    } else {
                        list.add(e);
                    }
                });
            }
        });
        return form.isEmpty() ? null : form;
    }

    private void bindFirst(JsonNode pod, String verb, Map<String, List<ObjectNode>> plan, Set<String> bound,
            Map<String, Integer> load) {
        if (!verb.equals("end") && !isBound(pod) && bound.add(alias(pod))) {
            plan.get("bind").add(entry(pod).put("node", node(pod, load)));
        }
    }

    private ObjectNode entry(JsonNode pod) {
        return Json.object().put("pod", alias(pod));
    }

    private String alias(JsonNode pod) {
        return names.alias(Names.name(pod));
    }

    private List<JsonNode> chosen(JsonNode wanted, String verb, List<JsonNode> pods) {
        String name = wanted.isObject() ? Json.text(wanted, "pod") : wanted.asString();
        if (!name.equals("all") && !name.contains("*")) {
            return List.of(pods.stream().filter(p -> alias(p).equals(name)).findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("kubelet: no pod " + name + " among "
                            + pods.stream().map(this::alias).toList())));
        }
        Pattern glob = Pattern.compile(name.equals("all") ? ".*" : Pattern.quote(name).replace("*", "\\E.*\\Q"));
        return pods.stream().filter(p -> glob.matcher(alias(p)).matches()).filter(p -> switch (verb) {
            case "bind" -> !isBound(p) && !isTerminating(p) && !isGated(p);
            case "end" -> isTerminating(p);
            default -> !isTerminating(p) && !hasEnded(p) && (isBound(p) || !isGated(p));
        }).toList();
    }

    /** The next change of a pod on its way to be ready, or to end; null if there is none. */
    private static @Nullable String next(JsonNode pod) {
        if (isTerminating(pod)) {
            boolean counted = pod.at("/metadata/finalizers").valueStream()
                    .anyMatch(f -> f.asString().equals(JOB_TRACKING));
            if (isBound(pod) && counted && !hasEnded(pod)) {
                return "fail";
            }
            // With finalizers and a grace period of zero the pod waits for somebody else.
            return Json.number(pod, -1, "metadata", "deletionGracePeriodSeconds") == 0 ? null : "end";
        }
        return hasEnded(pod) || isReady(pod) || isGated(pod) ? null : "ready";
    }

    private static boolean isBound(JsonNode pod) {
        return !Json.text(pod, "spec", "nodeName").isEmpty();
    }

    private static boolean isGated(JsonNode pod) {
        return !pod.at("/spec/schedulingGates").isEmpty();
    }

    private static boolean isTerminating(JsonNode pod) {
        return pod.path("metadata").has("deletionTimestamp");
    }

    private static boolean hasEnded(JsonNode pod) {
        return Set.of("Succeeded", "Failed").contains(Json.text(pod, "status", "phase"));
    }

    private static boolean isReady(JsonNode pod) {
        return pod.at("/status/conditions").valueStream()
                .anyMatch(c -> Json.text(c, "type").equals("Ready") && Json.text(c, "status").equals("True"));
    }

    private static Map<String, Integer> load(List<JsonNode> pods) {
        Map<String, Integer> load = new HashMap<>();
        pods.forEach(p -> load.merge(Json.text(p, "spec", "nodeName"), 1, Integer::sum));
        return load;
    }

    /** The node of the pod's affinity, or the schedulable one with the fewest pods. */
    private String node(JsonNode pod, Map<String, Integer> load) {
        String wanted = nodeOfAffinity(pod);
        String node = !wanted.isEmpty()
                ? wanted
                : wire.get(ResourceType.NODES.path("")).expected().path("items").valueStream()
                        .filter(n -> !n.at("/spec/unschedulable").asBoolean(false)).map(Names::name)
                        .min(Comparator.comparingInt((String n) -> load.getOrDefault(n, 0))
                                .thenComparing(Comparator.naturalOrder()))
                        .orElseThrow(() -> new IllegalArgumentException("kubelet: there is no node"));
        load.merge(node, 1, Integer::sum);
        return node;
    }

    /** The node that a DaemonSet wants for its pod; empty if there is none. */
    static String nodeOfAffinity(JsonNode pod) {
        for (JsonNode term : pod.at(
                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms")) {
            for (JsonNode field : term.path("matchFields")) {
                if (Json.text(field, "key").equals("metadata.name")) {
                    return field.at("/values/0").asString("");
                }
            }
        }
        return "";
    }

    /** Makes planned changes, all at the same time, because controllers compare the times of pods. */
    void perform(JsonNode plan) {
        String now = ModelJson.time(clock.now().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC));
        for (String verb : VERBS) {
            for (JsonNode entry : plan.path(verb)) {
                String name = names.name(entry.isObject() ? Json.text(entry, "pod") : entry.asString());
                String path = Kinds.path(ResourceType.PODS, namespace, name);
                switch (verb) {
                    case "bind" -> wire.post(path + "/binding", Json.object().put("apiVersion", "v1")
                            .put("kind", "Binding").set("metadata", Json.object().put("name", name))
                            .set("target", Json.object().put("kind", "Node").put("name", Json.text(entry, "node"))))
                            .expected();
                    case "end" -> wire.delete(path, Json.object().put("gracePeriodSeconds", 0)).expected();
                    default -> wire.patch(path + "/status", "strategic", Json.object().set("status",
                            status(verb, wire.get(path).expected(), entry, now))).expected();
                }
            }
        }
    }

    private ObjectNode status(String verb, JsonNode pod, JsonNode more, String now) {
        boolean ended = verb.equals("succeed") || verb.equals("fail");
        boolean ready = verb.equals("ready");
        ObjectNode status = Json.object();
        status.put("phase", verb.equals("succeed") ? "Succeeded" : verb.equals("fail") ? "Failed" : "Running");
        if (!pod.path("status").has("startTime")) {
            status.put("startTime", now);
        }
        String reason = ended
                ? verb.equals("succeed") ? "PodCompleted" : "PodFailed"
                : ready ? "" : "ContainersNotReady";
        ArrayNode conditions = status.putArray("conditions");
        condition(conditions, pod, "Initialized", true, "", now);
        condition(conditions, pod, "ContainersReady", ready, reason, now);
        condition(conditions, pod, "Ready", ready, reason, now);
        ArrayNode containers = status.putArray("containerStatuses");
        String failing = Json.text(more, "container");
        for (JsonNode container : pod.at("/spec/containers")) {
            String name = Json.text(container, "name");
            boolean fails = verb.equals("fail") && (failing.isEmpty() || failing.equals(name));
            ObjectNode form = containers.addObject().put("name", name).put("image", Json.text(container, "image"))
                    .put("imageID", "").put("ready", ready).put("started", !ended)
                    .put("restartCount", Json.number(more, 0, "restartCount"));
            ObjectNode state = form.putObject("state");
            if (ended) {
                state.putObject("terminated").put("exitCode", fails ? Json.number(more, 1, "exitCode") : 0)
                        .put("reason", fails ? more.path("reason").asString("Error") : "Completed")
                        .put("startedAt", now).put("finishedAt", now);
            } else {
                state.putObject("running").put("startedAt", now);
            }
        }
        more.path("conditions").forEach(c -> condition(conditions, pod, (ObjectNode) c.deepCopy(), now));
        more.path("status").properties().forEach(e -> status.set(e.getKey(), e.getValue()));
        return status;
    }

    private static void condition(ArrayNode conditions, JsonNode pod, String type, boolean holds, String reason,
            String now) {
        ObjectNode condition = Json.object().put("type", type).put("status", holds ? "True" : "False");
        condition.set("reason", reason.isEmpty() ? null : Json.object().put("r", reason).get("r"));
        condition(conditions, pod, condition, now);
    }

    /** A condition's time of transition changes with its status only. */
    private static void condition(ArrayNode conditions, JsonNode pod, ObjectNode condition, String now) {
        String since = pod.at("/status/conditions").valueStream()
                .filter(c -> c.path("type").equals(condition.path("type"))
                        && c.path("status").equals(condition.path("status")))
                .map(c -> Json.text(c, "lastTransitionTime")).findFirst().orElse(now);
        condition.put("lastTransitionTime", since.isEmpty() ? now : since);
        conditions.add(condition);
    }
}
