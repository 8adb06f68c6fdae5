package dev.wheelhouse.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the result of a replay with the recording, in the recording's names. */
final class GoldenComparison {
    private final Api api;
    private final GoldenState state;
    private final RecordedNames names;
    private final RecordedEnds ends;
    private final Set<String> wantedReasons = new TreeSet<>();
    private final Map<String, String> knownEvents = new HashMap<>();
    private final boolean reportsTerminating;
    private boolean lenient;

    /** @param reportsTerminating whether the recorded controllers reported {@code status.terminatingReplicas} */
    GoldenComparison(Api api, RecordedNames names, RecordedEnds ends, boolean reportsTerminating) {
        this.reportsTerminating = reportsTerminating;
        this.api = api;
        this.names = names;
        this.ends = ends;
        state = new GoldenState(api);
    }

    /** From now on allows the effects of crashes: Events may be lost or repeated, but states must be equal. */
    void beLenient() {
        lenient = true;
    }

    /** Records a change of the recording that the replay has to reproduce. */
    void remember(JsonNode change) {
        if (change.path("k").asString("").equals("Event") && change.path("src").asString("").endsWith("controller")) {
            wantedReasons.add(change.path("reason").asString(""));
        }
        ends.remember(change);
    }

    /** The form of a recorded quiescent state in which it is compared. */
    String wanted(JsonNode recorded) {
        return forgiven(GoldenState.recorded(recorded));
    }

    /** The current state, to compare with {@link #wanted}. */
    String now() {
        return forgiven(names.toRecorded(state.now()).lines().sorted().collect(Collectors.joining("\n")));
    }

    /** @param entry the entry of the trace, for failure messages */
    void compareQuiescent(String wanted, int entry) {
        assertThat(now()).as("quiescent state at entry %d", entry).isEqualTo(wanted);
        if (!lenient) {
            assertThat(newReasons()).as("reasons of events before entry %d", entry).isEqualTo(wantedReasons);
        }
        wantedReasons.clear();
        ends.match(api.list("pod"), names, lenient);
    }

    /**
     * Ignores differences in the reason of Progressing after crashes, because the reason depends on the last written
     * status.
     */
    private String forgiven(String states) {
        return lenient
                ? states.replace("Progressing=True/NewReplicaSetAvailable", "Progressing=True/ReplicaSetUpdated")
                : states;
    }

    /** The reasons of the Events that were written since the last call. */
    private Set<String> newReasons() {
        Set<String> reasons = new TreeSet<>();
        for (JsonNode event : api.list("event")) {
            String name = GoldenState.name(event);
            String version = event.path("metadata").path("resourceVersion").asString("");
            if (!version.equals(knownEvents.put(name, version))) {
                reasons.add(event.path("reason").asString(""));
            }
        }
        return reasons;
    }

    void compareSurvivors(JsonNode wanted, int index) {
        Set<String> there = new TreeSet<>();
        api.list("pod").forEach(p -> there.add(GoldenState.name(p)));
        List<String> survivors = names.pods().entrySet().stream().filter(e -> there.contains(e.getValue()))
                .map(Map.Entry::getKey).toList();
        assertThat(survivors).as("survivors at entry %d", index)
                .containsExactlyElementsOf(wanted.valueStream().map(JsonNode::asString).toList());
    }

    /** All objects, without the names, versions and times that differ between runs. */
    String describe() {
        return names.toRecorded(state.all()).lines().sorted().collect(Collectors.joining("\n"));
    }

    /** @param recorded the final state of the recording */
    void compareFinal(JsonNode recorded) {
        Map<String, Map<String, String>> found = new TreeMap<>();
        state.objects().forEach((name, values) -> {
            Map<String, String> renamed = new TreeMap<>();
            values.forEach((path, value) -> renamed.put(path, names.toRecorded(value)));
            if (!reportsTerminating) {
                renamed.remove("status.terminatingReplicas");
            }
            found.put(names.toRecorded(name), renamed);
        });
        Map<String, Map<String, String>> wanted = new TreeMap<>();
        recorded.get("objects").properties().forEach(e -> wanted.put(e.getKey(),
                GoldenState.reduced(e.getValue(), e.getKey().startsWith("ReplicaSet/"))));
        assertThat(found.keySet()).as("objects at the end").isEqualTo(wanted.keySet());
        wanted.forEach((name, values) -> assertThat(found.get(name)).as("%s at the end", name).isEqualTo(values));
        Map<String, TreeMap<String, Integer>> pods = new TreeMap<>();
        state.podCounts().forEach((owner, counts) -> pods.put(names.toRecorded(owner), counts));
        Map<String, TreeMap<String, Integer>> wantedPods = new TreeMap<>();
        recorded.path("pods").properties()
                .forEach(e -> wantedPods.put(e.getKey(), GoldenState.counts(e.getValue())));
        assertThat(pods).as("pods at the end").isEqualTo(wantedPods);
    }
}
