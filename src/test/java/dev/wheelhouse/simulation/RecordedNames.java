package dev.wheelhouse.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;

/** Maps the names of a recording to ours: ReplicaSets by image and order of creation, pods by alias. */
final class RecordedNames {
    private final Map<String, String> ours = new HashMap<>();
    private final Map<String, String> recorded = new HashMap<>();
    private final List<JsonNode> replicaSets = new ArrayList<>();
    private final Map<String, Deque<String>> pods = new HashMap<>();
    private final Map<String, String> podOf = new TreeMap<>();
    private int unrecorded;

    RecordedNames copy() {
        RecordedNames copy = new RecordedNames();
        copy.ours.putAll(ours);
        copy.recorded.putAll(recorded);
        copy.replicaSets.addAll(replicaSets);
        pods.forEach((owner, aliases) -> copy.pods.put(owner, new ArrayDeque<>(aliases)));
        copy.podOf.putAll(podOf);
        copy.unrecorded = unrecorded;
        return copy;
    }

    /** Records an object that the recording creates next. */
    void expect(JsonNode change) {
        String kind = change.path("k").asString("");
        if (kind.startsWith("ReplicaSet/") && change.path("t").asString("").equals("ADDED")) {
            replicaSets.add(change);
        } else if (kind.equals("Pod") && change.path("t").asString("").equals("created")) {
            change.get("pods").forEach(
                    p -> pods.computeIfAbsent(change.get("rs").asString(), r -> new ArrayDeque<>()).add(p.asString()));
        }
    }

    void replicaSetCreated(String name, String image) {
        for (JsonNode candidate : replicaSets) {
            if (candidate.get("set").get("image").asString().equals(image)
                    && !candidate.get("set").get("owners").isEmpty()) {
                replicaSets.remove(candidate);
                String recordedName = candidate.get("k").asString().substring("ReplicaSet/".length());
                ours.put(recordedName, name);
                recorded.put(name, recordedName);
                return;
            }
        }
        throw new AssertionError("ReplicaSet " + name + " of image " + image + " was not recorded");
    }

    /** @return the alias of the pod */
    String podCreated(String name, String replicaSet) {
        Deque<String> aliases = pods.get(recorded.getOrDefault(replicaSet, replicaSet));
        String alias = aliases == null || aliases.isEmpty() ? "unrecorded-" + ++unrecorded : aliases.pop();
        podOf.put(alias, name);
        return alias;
    }

    String pod(String alias) {
        String name = podOf.get(alias);
        if (name == null) {
            throw new AssertionError("no pod " + alias + " among " + podOf.keySet());
        }
        return name;
    }

    /** Swaps the aliases of two pods that are equal for the controllers. */
    void swap(String alias, String other) {
        String name = pod(alias);
        podOf.put(alias, pod(other));
        podOf.put(other, name);
    }

    Map<String, String> pods() {
        return podOf;
    }

    /** Replaces the recording's names and hashes in a text by ours. */
    String toOurs(String text) {
        return replace(text, ours);
    }

    /** Replaces our names and hashes in a text by the recording's. */
    String toRecorded(String text) {
        return replace(text, recorded);
    }

    private static String replace(String text, Map<String, String> names) {
        String replaced = text;
        for (Map.Entry<String, String> e : names.entrySet()) {
            replaced = replaced.replace(hash(e.getKey()), "\u0000" + hash(e.getValue()) + "\u0000");
        }
        return replaced.replace("\u0000", "");
    }

    private static String hash(String name) {
        return name.substring(name.lastIndexOf('-') + 1);
    }
}
