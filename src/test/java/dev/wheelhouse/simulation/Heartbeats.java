package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.Clock;

/** The signs of life of nodes: every ten seconds each kubelet renews its Lease, and says that it is ready. */
final class Heartbeats {
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final Api api;
    private final Api leases;
    private final Clock clock;
    private final Map<String, Instant> last = new HashMap<>();

    Heartbeats(Api api, Clock clock) {
        this.api = api;
        this.leases = api.in("kube-node-lease");
        this.clock = clock;
    }

    /** Lets the nodes give the signs of life that are due. */
    void of(Set<String> nodes) {
        last.keySet().retainAll(nodes);
        for (String node : nodes) {
            Instant before = last.get(node);
            if (before == null || !before.plus(PERIOD).isAfter(clock.now())) {
                last.put(node, clock.now());
                beat(node);
            }
        }
    }

    private void beat(String node) {
        JsonNode known = api.find("node", node);
        if (known == null) {
            return;
        }
        String now = ModelJson.time(clock.now().plusNanos(1000).atOffset(ZoneOffset.UTC));
        String spec = "\"spec\": {\"renewTime\": \"" + now + "\"}";
        if (leases.find("lease", node) == null) {
            leases.create("lease", "{\"metadata\": {\"name\": \"" + node + "\"}, " + spec + "}");
        } else {
            leases.patch("lease", node, "{" + spec + "}");
        }
        if (!"True".equals(ready(known))) {
            api.patch("node", node + "/status", """
                    {"status": {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "%s"}]}}"""
                    .formatted(ModelJson.time(clock.now().atOffset(ZoneOffset.UTC))));
        }
    }

    /** The status of the condition Ready of a node; null if there is none. */
    static @Nullable String ready(JsonNode node) {
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (ObjectFields.text(condition, "type").equals("Ready")) {
                return ObjectFields.text(condition, "status");
            }
        }
        return null;
    }
}
