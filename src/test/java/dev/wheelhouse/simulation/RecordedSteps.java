package dev.wheelhouse.simulation;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;

/** Repeats the recorded steps of users and kubelets. */
final class RecordedSteps {
    private final Api api;
    private final KubectlSteps kubectl;
    private final RecordedNames names;
    private final Clock clock;
    private final boolean bindsByHand;
    private final Set<String> neverBound = new TreeSet<>();

    /**
     * @param bindsByHand whether the recording has steps that bind pods; otherwise each pod is bound when it is created
     */
    RecordedSteps(Api api, RecordedNames names, Clock clock, boolean bindsByHand) {
        this.api = api;
        this.names = names;
        this.clock = clock;
        this.bindsByHand = bindsByHand;
        kubectl = new KubectlSteps(api);
    }

    /** Records that a pod was deleted in the recording without having been bound. */
    void neverBind(String recordedPod) {
        neverBound.add(recordedPod);
    }

    Set<String> neverBound() {
        return Set.copyOf(neverBound);
    }

    /** Makes a user's request, and compares the response's status code. */
    void perform(JsonNode entry) {
        JsonNode step = Json.read(names.toOurs(entry.get("do").toString()));
        String name = text(step, "name");
        if (text(step, "kind").equals("pod")) {
            name = names.pod(name);
        }
        Api.Answer answer;
        switch (text(step, "op")) {
            case "create" -> {
                JsonNode manifest = step.get("manifest");
                answer = api.call("POST", Api.path(text(manifest, "kind"), ""), "application/json", manifest);
                if (text(manifest, "kind").equals("Pod") && answer.code() == 201) {
                    podCreated(GoldenState.name(answer.body()), "-");
                }
            }
            case "patch" -> answer = api.patch(text(step, "kind"), name, text(step, "type"), step.get("patch"));
            case "delete" -> answer = api.call("DELETE", Api.path(text(step, "kind"), name), "application/json",
                    step.get("options"));
            case "kubectl" -> {
                List<String> args = step.get("args").valueStream().map(JsonNode::asString).toList();
                assertThat(kubectl.run(args, clock.now())).as("kubectl %s", args)
                        .isEqualTo(text(step, "out"));
                return;
            }
            case "pod-status" -> {
                step.get("pods").forEach(p -> api.podStatus(names.pod(p.asString()), """
                        {"phase": "%s", "conditions": [{"type": "Ready", "status": "False"}]}"""
                        .formatted(text(step, "phase"))));
                return;
            }
            default -> throw new IllegalArgumentException(step.toString());
        }
        assertThat(answer.code()).as("code of step %s, answered %s", entry, answer.body())
                .isEqualTo(entry.get("code").intValue());
    }

    /** Changes pods as their kubelets do. */
    void kubelet(JsonNode entry) {
        String what = text(entry, "kubelet");
        for (JsonNode pod : entry.get("pods")) {
            String name = names.pod(pod.asString());
            switch (what) {
                case "bind" -> api.bind(name, text(entry, "node"));
                case "ready" -> running(name, true, entry.path("readySecondsAgo").asLong(0));
                case "unready", "Running unready" -> running(name, false, 0);
                case "phase Unknown" -> api.podStatus(name, "{\"phase\": \"Unknown\"}");
                case "finalize" -> api.finalizePod(name);
                default -> throw new IllegalArgumentException(what);
            }
        }
    }

    private void running(String pod, boolean ready, long secondsAgo) {
        api.podStatus(pod, """
                {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s", "lastTransitionTime": "%s"}]}"""
                .formatted(ready ? "True" : "False", ModelJson.time(
                        clock.now().minusSeconds(secondsAgo).atOffset(ZoneOffset.UTC))));
    }

    /** @param replicaSet the ReplicaSet that owns the pod, or {@code -} */
    void podCreated(String name, String replicaSet) {
        String alias = names.podCreated(name, replicaSet);
        if (!bindsByHand && !neverBound.contains(alias)) {
            api.bind(name, "hollow-0");
        }
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asString("");
    }
}
