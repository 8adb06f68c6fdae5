package dev.wheelhouse.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

/** The pods that a recording deletes. The choice among pods that are equal for the controllers is random. */
final class RecordedEnds {
    private final Map<String, Set<String>> ends = new TreeMap<>();
    private final Map<String, String> ownerBefore = new HashMap<>();
    private final Map<String, String> looks = new HashMap<>();

    RecordedEnds copy() {
        RecordedEnds copy = new RecordedEnds();
        ends.forEach((owner, aliases) -> copy.ends.put(owner, new TreeSet<>(aliases)));
        copy.ownerBefore.putAll(ownerBefore);
        copy.looks.putAll(looks);
        return copy;
    }

    /** Records a change of the recording. */
    void remember(JsonNode change) {
        if (change.path("k").asString("").equals("Pod")
                && Set.of("terminating", "gone").contains(change.path("t").asString(""))) {
            change.get("pods").forEach(p -> ends
                    .computeIfAbsent(change.path("rs").asString(""), r -> new TreeSet<>()).add(p.asString()));
        }
    }

    /**
     * Swaps the names of pods that were deleted in the recording but exist here with the names of equal pods.
     *
     * @param pods the existing pods
     * @param crashes whether two processes may have created them, at different times
     */
    void match(List<JsonNode> pods, RecordedNames names, boolean crashes) {
        Map<String, JsonNode> byName = new HashMap<>();
        pods.forEach(p -> byName.put(GoldenState.name(p), p));
        ends.forEach((replicaSet, aliases) -> {
            for (String alias : aliases) {
                if (isAlive(byName.get(names.pod(alias)))) {
                    String other = names.pods().keySet().stream()
                            .filter(a -> !aliases.contains(a) && !isAlive(byName.get(names.pod(a)))
                                    && ownerBefore.getOrDefault(names.pod(a), "-")
                                            .equals(ownerBefore.getOrDefault(names.pod(alias), "-"))
                                    && Objects.equals(looks.get(names.pod(a)), looks.get(names.pod(alias))))
                            .findFirst().orElseThrow(() -> new AssertionError(alias + " of " + replicaSet
                                    + " was deleted in the recording, and none that is its equal is here"));
                    names.swap(alias, other);
                }
            }
        });
        byName.forEach((name, pod) -> {
            ownerBefore.put(name, GoldenState.owner(pod));
            if (isAlive(pod)) {
                looks.put(name, looks(pod, crashes));
            }
        });
    }

    private static boolean isAlive(@Nullable JsonNode pod) {
        return pod != null && !pod.path("metadata").has("deletionTimestamp");
    }

    /** The fields that the choice of victims depends on, without the UID. */
    private static String looks(JsonNode pod, boolean crashes) {
        String settled = GoldenState.word(pod) + pod.path("spec").path("nodeName");
        return crashes
                ? settled
                : settled + pod.path("metadata").path("annotations").path("controller.kubernetes.io/pod-deletion-cost")
                        .asString("0") + pod.path("metadata").path("creationTimestamp")
                        + pod.path("status").path("conditions");
    }
}
