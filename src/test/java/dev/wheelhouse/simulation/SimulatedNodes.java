package dev.wheelhouse.simulation;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * Does what nodes and their scheduler do to pods, in random order. There are two nodes for all pods.
 * Workloads may add nodes of their own, and a pod that requires a node by its affinity is bound to that one.
 */
final class SimulatedNodes {
    /** An image whose pods never become ready. */
    static final String BAD_IMAGE = "app:bad";

    private final Api api;
    private final Random random;
    private final Story story;
    private final Clock clock;
    private final boolean disrupted;
    private final @Nullable Heartbeats heartbeats;
    private final Set<String> nodes = new TreeSet<>();
    /** The nodes for pods that require none. */
    private final List<String> anyPods = new ArrayList<>();
    /** The numbers of the pods' addresses, by UID. */
    private final Map<String, Integer> addresses = new LinkedHashMap<>();
    private Function<JsonNode, @Nullable PodChange> lives = pod -> null;
    private boolean calm;

    /**
     * @param disrupted whether ready pods sometimes become unready
     * @param heartbeats the signs of life of the nodes; null if they give none
     */
    SimulatedNodes(Api api, Random random, Story story, Clock clock, boolean disrupted,
            @Nullable Heartbeats heartbeats) {
        this.api = api;
        this.random = random;
        this.story = story;
        this.clock = clock;
        this.disrupted = disrupted;
        this.heartbeats = heartbeats;
    }

    /** Sets the workloads that say what happens to pods, and adds the first two nodes. */
    void start(List<Workload> workloads, Environment environment) {
        Map<String, Workload> byName = new LinkedHashMap<>();
        workloads.forEach(w -> byName.put(w.name, w));
        lives = pod -> {
            Workload workload = byName.get(Api.app(pod));
            return workload == null ? null : workload.next(pod, environment, calm);
        };
        add("node-0", "");
        add("node-1", "");
        anyPods.addAll(nodes);
    }

    /** Adds a node with the label {@code for} of a workload. Only pods that require it are bound to it. */
    void addFor(String workload, String node) {
        add(node, ", \"for\": \"" + workload + "\"");
    }

    private void add(String node, String labels) {
        api.create("node", """
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s", "labels":
                 {"kubernetes.io/hostname": "%s"%s}}}""".formatted(node, node, labels));
        nodes.add(node);
    }

    /**
     * Removes a node, after the pods for it are bound: nobody wakes a DaemonSet for a pod that was never bound, as in
     * upstream. Nobody ends its pods until a controller deletes them at once.
     */
    void remove(String node) {
        if (nodes.contains(node)) {
            for (JsonNode pod : api.list("pod")) {
                if (!pod.path("spec").has("nodeName") && node.equals(requiredNode(pod))
                        && !ObjectFields.isDeleted(pod)) {
                    api.bind(ObjectFields.name(pod), node);
                }
            }
            stop(node);
            api.delete("node", node, "Background");
        }
    }

    /** Ends a node's kubelet. The node exists. */
    void stop(String node) {
        nodes.remove(node);
    }

    /** Starts the kubelet of an existing node. */
    void restart(String node) {
        nodes.add(node);
    }

    /**
     * Lets a node change one pod, or all pods that need a change.
     * @return whether there was a change
     */
    boolean act(boolean all) {
        if (heartbeats != null) {
            heartbeats.of(nodes);
        }
        List<JsonNode> pods = new ArrayList<>(api.list("pod"));
        Collections.shuffle(pods, random);
        calm = all;
        boolean acted = false;
        for (JsonNode pod : pods) {
            if (acted && !all) {
                return true;
            }
            acted |= act(pod);
        }
        return acted;
    }

    private boolean act(JsonNode pod) {
        String name = ObjectFields.name(pod);
        String node = ObjectFields.text(pod.path("spec"), "nodeName");
        if (ObjectFields.isDeleted(pod)) {
            return (node.isEmpty() || nodes.contains(node)) && end(pod);
        }
        if (node.isEmpty()) {
            String wanted = requiredNode(pod);
            if (wanted != null && !nodes.contains(wanted)) {
                return false;
            }
            api.bind(name, wanted != null ? wanted : anyPods.get(random.nextInt(anyPods.size())));
            return true;
        }
        PodChange change = nodes.contains(node) ? lives.apply(pod) : null;
        if (change == null) {
            return false;
        }
        change(name, change);
        return true;
    }

    /** Ends a pod that is being deleted. If a finalizer keeps it, its status tells that its containers have ended. */
    private boolean end(JsonNode pod) {
        String name = ObjectFields.name(pod);
        boolean kept = !pod.path("metadata").path("finalizers").isEmpty();
        if (kept && pod.path("metadata").path("deletionGracePeriodSeconds").asInt(-1) == 0) {
            return false;
        }
        if (kept && !Set.of("Succeeded", "Failed").contains(ObjectFields.text(pod.path("status"), "phase"))) {
            change(name, PodChange.failed(143));
            return true;
        }
        story.tell("pod " + name + " ends");
        api.finalizePod(name);
        return true;
    }

    /** The node that a pod's affinity requires by name; null if there is none. */
    static @Nullable String requiredNode(JsonNode pod) {
        for (JsonNode term : pod.path("spec").path("affinity").path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution").path("nodeSelectorTerms")) {
            for (JsonNode field : term.path("matchFields")) {
                if (ObjectFields.text(field, "key").equals("metadata.name")) {
                    return field.path("values").path(0).asString("");
                }
            }
        }
        return null;
    }

    /**
     * The next change of a pod that runs until somebody deletes it: it becomes ready, unless its image does not start,
     * and in a disrupted run sometimes unready.
     */
    @Nullable
    PodChange nextOfService(JsonNode pod, boolean calm) {
        String word = ObjectFields.word(pod);
        if (Set.of("pending", "running").contains(word)) {
            return ObjectFields.text(pod.path("spec").path("containers").path(0), "image").equals(BAD_IMAGE)
                    ? null
                    : PodChange.READY;
        }
        return !calm && disrupted && word.equals("ready") && random.nextInt(40) == 0 ? PodChange.UNREADY : null;
    }

    /** A random pod of a workload that has not ended; null if there is none. */
    @Nullable
    String anyPod(String workload) {
        List<JsonNode> pods = api.podsOf(workload).stream()
                .filter(p -> !Set.of("terminating", "failed", "succeeded").contains(ObjectFields.word(p))).toList();
        return pods.isEmpty() ? null : ObjectFields.name(pods.get(random.nextInt(pods.size())));
    }

    /** Changes the status of a pod. */
    void change(String pod, PodChange change) {
        story.tell("pod " + pod + " is " + change.word());
        String now = ModelJson.time(clock.now().atOffset(ZoneOffset.UTC));
        String ended = change.exitCode() == null
                ? ""
                : """
                        , "containerStatuses": [{"name": "app", "image": "app", "imageID": "app", "restartCount": 0,
                         "ready": false, "state": {"terminated": {"exitCode": %d, "finishedAt": "%s"}}}]""".formatted(
                        change.exitCode(), now);
        api.podStatus(pod, """
                {"phase": "%s", "reason": "%s", "podIP": "%5$s", "podIPs": [{"ip": "%5$s"}], "conditions":
                 [{"type": "Ready", "status": "%3$s", "lastTransitionTime": "%4$s"}]%6$s}""".formatted(change.phase(),
                change.reason(), change.ready() ? "True" : "False", now, address(pod), ended));
    }

    /** The address of a pod, which no pod with another UID has. */
    private String address(String pod) {
        String uid = api.get("pod", pod).path("metadata").path("uid").asString("");
        int number = addresses.computeIfAbsent(uid, u -> addresses.size() + 1);
        return "10.0." + number / 256 + "." + number % 256;
    }
}
