package dev.wheelhouse.simulation;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/** Does what nodes and their scheduler do to pods, in random order. */
final class SimulatedNodes {
    private final Api api;
    private final Random random;
    private final Story story;
    private final Clock clock;
    private final boolean disrupted;

    /** @param disrupted whether ready pods sometimes become unready */
    SimulatedNodes(Api api, Random random, Story story, Clock clock, boolean disrupted) {
        this.api = api;
        this.random = random;
        this.story = story;
        this.clock = clock;
        this.disrupted = disrupted;
    }

    /**
     * Lets a node change one pod, or all pods that need a change.
     * @return whether there was a change
     */
    boolean act(boolean all) {
        List<JsonNode> pods = new ArrayList<>(api.list("pod"));
        Collections.shuffle(pods, random);
        boolean acted = false;
        for (JsonNode pod : pods) {
            String name = GoldenState.name(pod);
            if (acted && !all) {
                return true;
            }
            if (pod.path("metadata").has("deletionTimestamp")) {
                story.tell("pod " + name + " ends");
                api.finalizePod(name);
                acted = true;
            } else if (!pod.path("spec").has("nodeName")) {
                api.bind(name, "node-" + random.nextInt(2));
                acted = true;
            } else if (Set.of("pending", "running").contains(GoldenState.word(pod)) && starts(pod)) {
                status(name, "Running", true);
                acted = true;
            } else if (!all && disrupted && GoldenState.word(pod).equals("ready")
                    && random.nextInt(40) == 0) {
                status(name, "Running", false);
                acted = true;
            }
        }
        return acted;
    }

    /** A random pod that has not ended; null if there is none. */
    @Nullable
    String anyPod() {
        List<JsonNode> pods = api.list("pod").stream()
                .filter(p -> !Set.of("terminating", "failed").contains(GoldenState.word(p))).toList();
        return pods.isEmpty() ? null : GoldenState.name(pods.get(random.nextInt(pods.size())));
    }

    /** Ends a pod with the phase Failed. */
    void evict(String pod) {
        status(pod, "Failed", false);
    }

    private void status(String pod, String phase, boolean ready) {
        story.tell("pod " + pod + " is " + (ready ? "ready" : phase.equals("Failed") ? "evicted" : "not ready"));
        api.podStatus(pod, """
                {"phase": "%s", "conditions": [{"type": "Ready", "status": "%s", "lastTransitionTime": "%s"}]}"""
                .formatted(phase, ready ? "True" : "False",
                        ModelJson.time(clock.now().atOffset(ZoneOffset.UTC))));
    }

    private static boolean starts(JsonNode pod) {
        return !GoldenState.text(pod.path("spec").path("containers").path(0), "image")
                .equals(DeploymentWorkload.BAD_IMAGE);
    }
}
