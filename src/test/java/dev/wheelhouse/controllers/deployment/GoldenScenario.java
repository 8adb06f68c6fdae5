package dev.wheelhouse.controllers.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays a recorded scenario on a {@link World}: the recorded steps of users and the kubelet, each followed by
 * quiescence, which must equal the recorded one. ReplicaSets are matched by image in the order of creation, because
 * their hashes differ.
 */
final class GoldenScenario {
    private final JsonNode scenario;
    private final boolean asRecorded;
    private final World world = new World();
    private final Instant start = world.clock.now();
    private final UserSteps user;
    private final Map<String, String> ours = new HashMap<>();
    private final Map<String, String> recorded = new HashMap<>();
    private final Deque<JsonNode> createdReplicaSets = new ArrayDeque<>();
    private final Map<String, Deque<String>> createdPods = new HashMap<>();
    private final Map<String, String> replicaSetOf = new HashMap<>();
    private final Set<String> expectedReasons = new TreeSet<>();
    private int recordedWrites;

    /**
     * @param seed determines the order of the controllers' turns
     * @param asRecorded whether ReplicaSets report the status fields of 1.26, and writes are counted; otherwise they
     *     also report terminating pods
     */
    GoldenScenario(String name, long seed, boolean asRecorded) throws IOException {
        try (InputStream in = Objects.requireNonNull(
                GoldenScenario.class.getResourceAsStream("/golden/scenarios/" + name + ".json"))) {
            scenario = ModelJson.mapperForModels().readTree(in);
        }
        user = new UserSteps(world, n -> ours.getOrDefault(n, n));
        world.order = new Random(seed)::nextInt;
        world.podNames = this::podName;
        this.asRecorded = asRecorded;
        world.countsTerminating = !asRecorded;
        world.onReplicaSetCreated = this::match;
    }

    void replay() {
        List<JsonNode> trace = new ArrayList<>();
        scenario.get("trace").forEach(trace::add);
        for (int i = 0; i < trace.size(); i++) {
            JsonNode entry = trace.get(i);
            if (entry.has("k")) {
                continue;
            }
            if (entry.has("req")) {
                continue;
            }
            if (!entry.has("q")) {
                passTime(entry);
            }
            for (int j = i + 1; j < trace.size() && (trace.get(j).has("k") || trace.get(j).has("req")); j++) {
                hint(trace.get(j));
            }
            if (entry.has("do")) {
                if (!entry.has("ms")) {
                    world.clock.advance(Duration.ofSeconds(2));
                }
                user.perform(entry.get("do"));
            } else if (entry.has("kubelet")) {
                kubelet(entry);
            } else if (entry.has("q")) {
                quiesce(entry.get("q"), i, timeOf(trace.subList(i + 1, trace.size())));
                // The entries that follow without an action are caused by the passing of time.
                for (int j = i + 1; j < trace.size() && (trace.get(j).has("k") || trace.get(j).has("req")); j++) {
                    hintReasons(trace.get(j));
                }
                continue;
            }
            for (int j = i + 1; j < trace.size() && (trace.get(j).has("k") || trace.get(j).has("req")); j++) {
                hintReasons(trace.get(j));
            }
        }
        world.settle();
        if (asRecorded) {
            assertThat(world.writes).as("writes, against those recorded").isLessThanOrEqualTo(recordedWrites);
        }
        compareFinal(scenario.get("final").get("objects"));
    }

    private static @Nullable Duration timeOf(List<JsonNode> rest) {
        return rest.stream().filter(e -> e.has("ms") && !e.has("k")).findFirst()
                .map(e -> Duration.ofMillis(e.get("ms").longValue())).orElse(null);
    }

    private void passTime(JsonNode entry) {
        if (entry.has("ms")) {
            world.advanceTo(start.plusMillis(entry.get("ms").longValue()));
        }
    }

    /** The names of objects and the deleted pods that the recording contains before the next quiescence. */
    private void hint(JsonNode change) {
        if (!change.has("k")) {
            return;
        }
        String kind = change.get("k").stringValue();
        String type = change.has("t") ? change.get("t").stringValue() : "";
        if (kind.startsWith("ReplicaSet/") && type.equals("ADDED")) {
            createdReplicaSets.add(change);
        } else if (kind.equals("Pod") && type.equals("created")) {
            String replicaSet = change.get("rs").stringValue();
            change.get("pods").forEach(p -> {
                createdPods.computeIfAbsent(replicaSet, r -> new ArrayDeque<>()).add(p.stringValue());
                replicaSetOf.put(p.stringValue(), replicaSet);
            });
        } else if (kind.equals("Pod") && type.equals("terminating")) {
            change.get("pods").forEach(p -> world.victims.add(p.stringValue()));
        } else if (kind.equals("Pod") && type.equals("gone")) {
            change.get("pods").forEach(p -> {
                world.victims.add(p.stringValue());
                world.goneAtOnce.add(p.stringValue());
            });
        }
    }

    private void hintReasons(JsonNode change) {
        if (change.has("req")) {
            change.get("req").forEach(r -> countWrites(r.stringValue()));
        } else if (change.get("k").stringValue().equals("Event")
                && change.get("src").stringValue().equals("deployment-controller")) {
            expectedReasons.add(change.get("reason").stringValue());
        }
    }

    /** Counts a line such as {@code deployment-controller update deployments/status web 200 x2}. */
    private void countWrites(String request) {
        String[] words = request.split(" ");
        if (!words[0].equals("deployment-controller")) {
            return;
        }
        for (int i = 1; i < words.length; i++) {
            if (words[i].matches("20[01]")) {
                boolean times = i + 1 < words.length && words[i + 1].matches("x\\d+");
                recordedWrites += times ? Integer.parseInt(words[i + 1].substring(1)) : 1;
                return;
            }
        }
    }

    private String podName(String replicaSet) {
        Deque<String> names = createdPods.getOrDefault(recorded.getOrDefault(replicaSet, replicaSet),
                new ArrayDeque<>());
        return names.isEmpty() ? "unrecorded-pod-of-" + replicaSet + "-" + world.pods.size() : names.pop();
    }

    private void match(V1ReplicaSet created) {
        String name = created.getMetadata().getName();
        for (JsonNode candidate : createdReplicaSets) {
            JsonNode set = candidate.get("set");
            if (!set.get("owners").isEmpty() && set.get("image").stringValue().equals(image(created))) {
                createdReplicaSets.remove(candidate);
                String recordedName = candidate.get("k").stringValue().substring("ReplicaSet/".length());
                ours.put(recordedName, name);
                recorded.put(name, recordedName);
                return;
            }
        }
        throw new AssertionError("ReplicaSet " + name + " of image " + image(created) + " was not recorded");
    }

    private static String image(V1ReplicaSet replicaSet) {
        return replicaSet.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
    }

    private void kubelet(JsonNode entry) {
        String what = entry.get("kubelet").stringValue();
        for (JsonNode alias : entry.get("pods")) {
            World.Pod pod = find(alias.stringValue(), what.equals("finalize") ? "terminating" : "pending", entry);
            switch (what) {
                case "ready" -> {
                    pod.phase = "Running";
                    pod.readySince = world.clock.now();
                }
                case "finalize" -> {
                    assertThat(pod.terminating).as("pod %s is being deleted", pod.alias).isTrue();
                    world.pods.remove(pod);
                }
                default -> throw new IllegalArgumentException("kubelet: " + what);
            }
        }
    }

    /**
     * The pod with that name. If the recorded controllers replaced a pod that ours kept, the pod in its place: of the
     * same ReplicaSet, in the same state, and not named elsewhere.
     */
    private World.Pod find(String alias, String state, JsonNode entry) {
        String named = entry.get("pods").toString();
        return world.pods.stream().filter(p -> p.alias.equals(alias)).findFirst()
                .or(() -> world.pods.stream().filter(p -> p.state().equals(state)
                        && recorded.getOrDefault(p.replicaSet, p.replicaSet).equals(replicaSetOf.get(alias))
                        && !named.contains("\"" + p.alias + "\"")).findFirst())
                .orElseGet(() -> world.pod(alias));
    }

    private void quiesce(JsonNode expected, int index, @Nullable Duration limit) {
        world.settle();
        String wanted = describe(expected);
        Instant until = limit == null ? world.clock.now().plusSeconds(60) : start.plus(limit);
        while (!wanted.equals(state())) {
            Instant next = world.nextDue();
            if (!scenario.get("timed").booleanValue() || next == null || next.isAfter(until)) {
                break;
            }
            world.advanceTo(next);
        }
        assertThat(state()).as("quiescent state at entry %d", index).isEqualTo(wanted);
        assertThat(new TreeSet<>(world.eventReasons)).as("reasons of events before entry %d", index)
                .isEqualTo(expectedReasons);
        world.eventReasons.clear();
        expectedReasons.clear();
    }

    private static String describe(JsonNode q) {
        TreeMap<String, String> lines = new TreeMap<>();
        for (String kind : List.of("dep", "rs", "pods")) {
            if (q.has(kind)) {
                for (Map.Entry<String, JsonNode> e : q.get(kind).properties()) {
                    JsonNode v = e.getValue();
                    lines.put(kind + " " + e.getKey(), switch (kind) {
                        case "dep" -> v.get("spec") + " " + v.get("st")
                                + " " + (v.has("conds") ? v.get("conds").stringValue() : "");
                        case "rs" -> v.get("image").stringValue() + " " + v.get("spec") + " rev "
                                + (v.get("rev").isNull() ? "null" : v.get("rev").stringValue()) + " " + v.get("st");
                        default -> sorted(v).toString();
                    });
                }
            }
        }
        return lines(lines);
    }

    private static TreeMap<String, Integer> sorted(JsonNode counts) {
        TreeMap<String, Integer> sorted = new TreeMap<>();
        counts.properties().forEach(e -> sorted.put(e.getKey(), e.getValue().intValue()));
        return sorted;
    }

    private static String lines(TreeMap<String, String> lines) {
        return String.join("\n", lines.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList())
                .replace("NewReplicaSetCreated", "ReplicaSetUpdated");
    }

    private String state() {
        TreeMap<String, String> lines = new TreeMap<>();
        world.deployments.forEach((name, d) -> {
            V1DeploymentStatus st = d.getStatus() == null ? new V1DeploymentStatus() : d.getStatus();
            lines.put("dep " + name, d.getSpec().getReplicas() + " "
                    + counts(st.getReplicas(), st.getUpdatedReplicas(), st.getReadyReplicas(),
                            st.getAvailableReplicas(), st.getUnavailableReplicas())
                    + " " + String.join(" ",
                            Conditions.list(st).stream().sorted(Comparator.comparing(c -> c.getType()))
                                    .map(c -> c.getType() + "=" + c.getStatus() + "/" + c.getReason()).toList()));
        });
        world.replicaSets.forEach((name, r) -> {
            V1ReplicaSetStatus st = r.getStatus();
            lines.put("rs " + recorded.getOrDefault(name, name), image(r) + " " + r.getSpec().getReplicas() + " rev "
                    + Annotations.of(r.getMetadata()).get(Annotations.REVISION) + " " + counts(st.getReplicas(),
                            st.getFullyLabeledReplicas(), st.getReadyReplicas(), st.getAvailableReplicas()));
        });
        Map<String, TreeMap<String, Integer>> pods = new HashMap<>();
        for (World.Pod pod : world.pods) {
            pods.computeIfAbsent("pods " + recorded.getOrDefault(pod.replicaSet, pod.replicaSet), r -> new TreeMap<>())
                    .merge(pod.state(), 1, Integer::sum);
        }
        pods.forEach((name, states) -> lines.put(name, states.toString()));
        return lines(lines);
    }

    private static String counts(@Nullable Integer... counts) {
        return java.util.Arrays.stream(counts).map(c -> c == null ? 0 : c).toList().toString().replace(" ", "");
    }

    private void compareFinal(JsonNode objects) {
        for (Map.Entry<String, JsonNode> e : objects.properties()) {
            String name = e.getKey().substring(e.getKey().indexOf('/') + 1);
            Map<String, String> wanted = new TreeMap<>();
            Map<String, String> found = new TreeMap<>();
            var meta = e.getKey().startsWith("Deployment/")
                    ? world.deployment(name).getMetadata()
                    : world.replicaSet(ours.getOrDefault(name, name)).getMetadata();
            e.getValue().properties().stream().filter(p -> p.getKey().startsWith("ann."))
                    .forEach(p -> wanted.put(p.getKey().substring(4), p.getValue().asString()));
            found.putAll(Annotations.of(meta));
            assertThat(found).as("annotations of %s at the end", e.getKey()).isEqualTo(wanted);
            if (e.getKey().startsWith("Deployment/")) {
                compareMessages(name, e.getValue());
            }
        }
    }

    private void compareMessages(String name, JsonNode wanted) {
        V1Deployment deployment = world.deployment(name);
        for (var condition : Conditions.list(deployment.getStatus())) {
            String message = condition.getMessage();
            for (Map.Entry<String, String> e : recorded.entrySet()) {
                message = message.replace(e.getKey(), e.getValue());
            }
            assertThat(message).as("message of %s at the end", condition.getType())
                    .isEqualTo(wanted.get("cond." + condition.getType()).get(2).stringValue());
        }
    }
}
