package dev.wheelhouse.controllers.replicaset;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Recordings of a real control plane (see the golden data's README), replayed with this controller only. The quiescent
 * states, the surviving pods and the reasons of Events are the same, and there are no more successful writes.
 */
class ReplicaSetGoldenTest {
    private final ReplicaSetSystem system = new ReplicaSetSystem();
    private final Map<String, ObjectKey> aliases = new TreeMap<>();
    private boolean bindsByHand;
    private int writes;

    /** {@code rs_deleted_by_hand} is missing, because it needs a Deployment controller too. */
    @ParameterizedTest
    @ValueSource(strings = {"rs_adopt_more", "rs_basic", "rs_delete_orphan", "rs_fully_labeled", "rs_min_ready",
            "rs_overlap", "rs_release", "rs_template_change", "rs_victim_age", "rs_victim_cost", "rs_victim_notready",
            "rs_victim_phase", "rs_victim_readytime", "rs_victim_spread", "rs_victim_unassigned"})
    void behavesAsARealControlPlaneDid(String scenario) throws IOException {
        JsonNode trace = read(scenario).get("trace");
        int allowed = 0;
        Set<String> wantedReasons = new TreeSet<>();
        for (JsonNode entry : trace) {
            bindsByHand |= entry.path("kubelet").asString("").equals("bind");
        }
        if (scenario.equals("rs_victim_spread")) {
            // Everything else is equal, so the UID decides: without an owner, the spread over nodes does not.
            system.api.uids(name -> name.endsWith("4") ? "0-first" : "uid-" + name);
        }
        for (JsonNode entry : trace) {
            String at = scenario + ", " + entry;
            if (entry.has("do") && entry.path("code").asInt() < 300) {
                system.clock.advance(Duration.ofSeconds(2));
                act(entry.get("do"));
            } else if (entry.has("kubelet")) {
                kubelet(entry);
                if (entry.get("kubelet").asString().equals("finalize")) {
                    allowed++; // 1.36 reports status.terminatingReplicas, which 1.26 did not.
                }
            } else if (entry.path("k").asString("").equals("Event")) {
                wantedReasons.add(entry.get("reason").asString());
            } else if (entry.has("req")) {
                allowed += writesOf(entry.get("req"));
            } else if (entry.has("q")) {
                settle();
                assertThat(state()).as(at).isEqualTo(wanted(entry.get("q")));
                assertThat(reasons()).as(at).isEqualTo(wantedReasons);
                wantedReasons.clear();
                system.events.clear();
            } else if (entry.has("survivors")) {
                List<String> survivors = new ArrayList<>();
                entry.get("survivors").forEach(alias -> survivors.add(alias.asString()));
                assertThat(aliases.entrySet().stream().filter(a -> exists(a.getValue())).map(Map.Entry::getKey))
                        .as(at).containsExactlyElementsOf(survivors);
            }
        }
        assertThat(writes).as("successful writes of the controller").isLessThanOrEqualTo(allowed);
    }

    private static JsonNode read(String scenario) throws IOException {
        String path = "/golden/scenarios/" + scenario + ".json";
        try (InputStream in = ReplicaSetGoldenTest.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IOException("no resource " + path);
            }
            return JsonMapper.shared().readTree(in);
        }
    }

    /**
     * The number of the controller's successful writes in a trace's line of requests, such as
     * {@code "… create pods 201 x4"}.
     */
    private static int writesOf(JsonNode requests) {
        int writes = 0;
        for (JsonNode request : requests) {
            String line = request.asString();
            if (line.startsWith("replicaset-controller") && !line.contains(" 409")) {
                writes += line.matches(".* x[0-9]+") ? Integer.parseInt(line.substring(line.lastIndexOf('x') + 1)) : 1;
            }
        }
        return writes;
    }

    private void settle() {
        takeWrites(false);
        system.settle();
        takeWrites(true);
        boolean bound = false;
        for (V1Pod pod : system.pods()) {
            ObjectKey key = ObjectKey.of(pod);
            if (!aliases.containsValue(key)) {
                aliases.put("p" + (aliases.size() + 1), key);
                if (!bindsByHand) {
                    system.bind(pod, "hollow-0");
                    bound = true;
                }
            }
        }
        if (bound) {
            settle();
        }
    }

    private void takeWrites(boolean count) {
        for (String request : system.api.takeRequests()) {
            if (count && !request.startsWith("get ") && !request.startsWith("list ")) {
                writes++;
            }
        }
    }

    private void act(JsonNode action) {
        ResourceType type = action.path("kind").asString("").equals("pod")
                || action.path("manifest").path("kind").asString("").equals("Pod")
                        ? ResourceType.PODS
                        : ResourceType.REPLICA_SETS;
        switch (action.get("op").asString()) {
            case "create" -> {
                if (type == ResourceType.PODS) {
                    V1Pod pod = ModelJson.read(action.get("manifest"), V1Pod.class);
                    pod.getMetadata().setNamespace("default");
                    system.createPod(pod);
                } else {
                    V1ReplicaSet set = ModelJson.read(action.get("manifest"), V1ReplicaSet.class);
                    set.getMetadata().setNamespace("default");
                    system.api.resource(type, V1ReplicaSet.class).create(set);
                }
            }
            case "patch" -> {
                JsonNode patch = action.get("patch");
                if (patch.isArray()) {
                    String image = patch.get(0).get("value").asString();
                    system.api.edit(type, V1ReplicaSet.class, target(action),
                            set -> set.getSpec().getTemplate().getSpec().getContainers().get(0).setImage(image));
                } else {
                    system.api.metadata(type).patch(target(action), "", PatchType.MERGE, patch.toString());
                }
            }
            case "delete" -> {
                if (type == ResourceType.PODS) {
                    system.api.metadata(type).delete(target(action), Deletion.unconditional());
                } else {
                    collect(target(action), action.path("options").path("propagationPolicy").asString());
                }
            }
            default -> throw new AssertionError(action.toString());
        }
    }

    /** Does what the API server and the garbage collector do when a ReplicaSet is deleted. */
    private void collect(ObjectKey key, String policy) {
        V1ReplicaSet set = system.api.resource(ResourceType.REPLICA_SETS, V1ReplicaSet.class).get(key);
        List<V1Pod> pods = system.podsOf(key.name());
        if (policy.equals("Orphan")) {
            system.api.edit(ResourceType.REPLICA_SETS, V1ReplicaSet.class, key,
                    s -> s.getMetadata().setDeletionTimestamp(set.getMetadata().getCreationTimestamp()));
            pods.forEach(pod -> system.editPod(pod, p -> p.getMetadata().setOwnerReferences(null)));
            settle();
        }
        system.api.remove(ResourceType.REPLICA_SETS, key);
        if (!policy.equals("Orphan")) {
            pods.forEach(pod -> system.api.metadata(ResourceType.PODS).delete(ObjectKey.of(pod),
                    Deletion.unconditional()));
        }
    }

    private ObjectKey target(JsonNode action) {
        String name = action.get("name").asString();
        ObjectKey alias = aliases.get(name);
        return alias != null ? alias : ReplicaSetSystem.key(name);
    }

    private void kubelet(JsonNode entry) {
        String what = entry.get("kubelet").asString();
        if (what.equals("finalize")) {
            // The choice among equal pods may differ, but not their number.
            List<V1Pod> terminating = system.pods().stream().filter(Pods::isDeleting).toList();
            assertThat(terminating).hasSameSizeAs(entry.get("pods"));
            terminating.forEach(pod -> system.api.remove(ResourceType.PODS, ObjectKey.of(pod)));
            return;
        }
        List<V1Pod> pods = new ArrayList<>();
        entry.get("pods").forEach(alias -> pods.add(pod(alias.asString())));
        for (V1Pod pod : pods) {
            switch (what) {
                case "bind" -> system.bind(pod, entry.get("node").asString());
                case "ready" -> system.ready(pod, entry.path("readySecondsAgo").asLong(0));
                case "unready", "Running unready" -> system.status(pod, "Running");
                case "phase Unknown" -> system.status(pod, "Unknown");
                default -> throw new AssertionError(entry.toString());
            }
        }
    }

    private V1Pod pod(String alias) {
        return system.pods().stream().filter(pod -> ObjectKey.of(pod).equals(aliases.get(alias))).findFirst()
                .orElseThrow(() -> new AssertionError("no pod " + alias + " in " + aliases));
    }

    private boolean exists(@Nullable ObjectKey key) {
        return system.pods().stream().anyMatch(pod -> ObjectKey.of(pod).equals(key));
    }

    private Set<String> reasons() {
        Set<String> reasons = new TreeSet<>();
        system.events.forEach(event -> reasons.add(event.split(" ")[1]));
        return reasons;
    }

    /** The states of ReplicaSets and the number of pods in each state, in the trace's words. */
    private Map<String, String> state() {
        Map<String, String> state = new TreeMap<>();
        for (V1ReplicaSet set : system.api.all(ResourceType.REPLICA_SETS, V1ReplicaSet.class)) {
            V1ReplicaSetStatus status = set.getStatus();
            assertThat(status.getObservedGeneration()).isEqualTo(set.getMetadata().getGeneration());
            state.put("rs " + set.getMetadata().getName(), set.getSpec().getReplicas() + " of "
                    + set.getSpec().getTemplate().getSpec().getContainers().get(0).getImage() + ": ["
                    + status.getReplicas() + "," + or0(status.getFullyLabeledReplicas()) + ","
                    + or0(status.getReadyReplicas()) + "," + or0(status.getAvailableReplicas()) + "]");
        }
        Map<String, Integer> counts = new TreeMap<>();
        for (V1Pod pod : system.pods()) {
            V1OwnerReference owner = OwnerReferences.controllerOf(pod.getMetadata());
            String phase = Pods.phase(pod).isEmpty() ? "pending" : Pods.phase(pod).toLowerCase(java.util.Locale.ROOT);
            String word = Pods.isDeleting(pod) ? "terminating" : Pods.isReady(pod) ? "ready" : phase;
            counts.merge("pods " + (owner == null ? "-" : owner.getName()) + " " + word, 1, Integer::sum);
        }
        counts.forEach((what, count) -> state.put(what, count.toString()));
        return state;
    }

    private static int or0(@Nullable Integer count) {
        return count == null ? 0 : count;
    }

    private static Map<String, String> wanted(JsonNode quiescent) {
        Map<String, String> state = new TreeMap<>();
        quiescent.path("rs").properties()
                .forEach(rs -> state.put("rs " + rs.getKey(), rs.getValue().get("spec").asInt() + " of "
                        + rs.getValue().get("image").asString() + ": " + rs.getValue().get("st")));
        quiescent.path("pods").properties().forEach(owner -> owner.getValue().properties().forEach(
                count -> state.put("pods " + owner.getKey() + " " + count.getKey(), count.getValue().asString())));
        return state;
    }
}
