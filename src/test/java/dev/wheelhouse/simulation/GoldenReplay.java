package dev.wheelhouse.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

/** Replays one recorded scenario on a {@link SteppedSystem}, and compares what the recording says has to be the same. */
final class GoldenReplay implements Interceptor, AutoCloseable {
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration TIMED_SLACK = Duration.ofMillis(100);

    private final JsonNode scenario;
    private final List<JsonNode> trace;
    private final boolean timed;
    private final boolean bindsByHand;
    private final SteppedSystem system;
    private final Api api;
    private final KubectlSteps kubectl;
    private final GoldenState state;
    private final RecordedNames names;
    private final RecordedEnds ends;
    private final Instant start;
    private final Set<String> wantedReasons = new TreeSet<>();
    private final Map<String, String> knownEvents = new HashMap<>();
    private final ComparedWrites writes;
    private final boolean reportsTerminating;
    private final Set<String> neverBound = new TreeSet<>();
    private boolean lenient;
    private int at;
    private int crashAt = -1;
    private boolean crashAfter;
    private boolean crashed;
    private int tries;
    private int expected;

    /** @param seed of UIDs and names */
    GoldenReplay(String name, long seed) throws IOException {
        this(read(name), seed, null);
    }

    /**
     * Goes on from a checkpoint, with a manager that has just started.
     *
     * @param seed another one than led there, or UIDs and names would repeat
     */
    GoldenReplay(Checkpoint from, long seed) {
        this(from.scenario(), seed, from);
        withCrashes();
    }

    private GoldenReplay(JsonNode scenario, long seed, @Nullable Checkpoint from) {
        this.scenario = scenario;
        trace = scenario.get("trace").valueStream().toList();
        timed = scenario.get("timed").booleanValue();
        bindsByHand = trace.stream().anyMatch(e -> text(e, "kubelet").equals("bind"));
        system = new SteppedSystem(this, seed, null, from == null ? Storage.inMemory() : from.objects());
        start = system.clock.now();
        api = new Api(system.server.rest());
        kubectl = new KubectlSteps(api);
        state = new GoldenState(api);
        reportsTerminating = !text(scenario, "server").startsWith("v1.26");
        writes = new ComparedWrites(api, reportsTerminating);
        names = from == null ? new RecordedNames() : from.names().copy();
        ends = from == null ? new RecordedEnds() : from.ends().copy();
        if (from != null) {
            at = from.next();
            expected = from.expected();
            neverBound.addAll(from.neverBound());
            system.clock.advance(Duration.between(start, from.time()));
        }
    }

    /**
     * Judges as it has to be with crashes: Events may be lost or said twice, and writes be repeated, but states are the same. As
     * such runs are many, only the types that take part are collected.
     */
    GoldenReplay withCrashes() {
        lenient = true;
        system.with(SteppedSystem.WORKLOADS);
        return this;
    }

    /** The manager's process ends at one of its writes, counted from 0, and another one starts. */
    GoldenReplay crashingAt(int write, boolean afterIt) {
        crashAt = write;
        crashAfter = afterIt;
        return withCrashes();
    }

    /** How many writes the manager tried. */
    int tries() {
        return tries;
    }

    /** @param name of a recorded scenario, with {@code 1.36/} before it if it is of that version */
    static JsonNode read(String name) throws IOException {
        String path = name.startsWith("1.36/") ? "/golden-" + name : "/golden/scenarios/" + name;
        try (InputStream in = Objects.requireNonNull(GoldenReplay.class.getResourceAsStream(path + ".json"))) {
            return Json.read(in.readAllBytes());
        }
    }

    private static String text(JsonNode object, String field) {
        return object.path(field).asString("");
    }

    void run() throws InterruptedException {
        begin();
        end();
        if (!lenient) {
            writes.compare();
        }
    }

    /** Starts the manager. */
    void begin() throws InterruptedException {
        system.startManager();
        settle(SLACK);
        writes.clear();
    }

    /** Goes on to the next recorded quiescent state, and compares. @return false if there is none: then nothing was done */
    boolean toNextQuiescence() throws InterruptedException {
        boolean more = trace.subList(at, trace.size()).stream().anyMatch(e -> e.has("q"));
        boolean there = !more;
        while (!there) {
            there = trace.get(at).has("q");
            replay(at++);
        }
        return more;
    }

    /** Goes on to the end, and compares that with the recorded one. */
    void end() throws InterruptedException {
        while (at < trace.size()) {
            replay(at++);
        }
        settle(slack());
        compareFinal();
    }

    private void replay(int i) throws InterruptedException {
        JsonNode entry = trace.get(i);
        if (entry.has("k") || entry.has("req")) {
            return;
        }
        if (!entry.has("q")) {
            passTime(entry);
        }
        List<JsonNode> changes = changes(trace, i);
        expectFrom(trace, i + 1);
        if (entry.has("do")) {
            perform(entry);
        } else if (entry.has("kubelet")) {
            kubelet(entry);
        } else if (entry.has("q")) {
            quiesce(entry.get("q"), i, trace);
        } else if (entry.has("survivors")) {
            compareSurvivors(entry.get("survivors"), i);
        }
        changes.forEach(this::remember);
    }

    /** What another replay can go on from. To be taken at a quiescent state: what the manager remembers is not in it. */
    Checkpoint checkpoint() {
        return new Checkpoint(scenario, at, system.clock.now(), KeptObjects.of(system.server.store()), names.copy(),
                ends.copy(), expected, Set.copyOf(neverBound), describe());
    }

    /** All that is there and that the names, versions and times of a run do not decide. */
    String describe() {
        return names.toRecorded(state.all()).lines().sorted().collect(Collectors.joining("\n"));
    }

    /** Names of what is made up to the next quiescent state, and pods that nobody bound before they were deleted. */
    private void expectFrom(List<JsonNode> trace, int from) {
        for (int i = Math.max(from, expected); i < trace.size() && !trace.get(i).has("q"); i++) {
            JsonNode entry = trace.get(i);
            names.expect(entry);
            if (text(entry, "k").equals("Pod") && text(entry, "t").equals("gone")) {
                entry.get("pods").forEach(p -> neverBound.add(p.asString()));
            }
            expected = i + 1;
        }
    }

    private static List<JsonNode> changes(List<JsonNode> trace, int i) {
        return trace.subList(i + 1, trace.size()).stream().takeWhile(e -> e.has("k") || e.has("req")).toList();
    }

    private void settle(Duration slack) throws InterruptedException {
        system.settle(slack);
        if (crashed) {
            crashed = false;
            system.startManager();
            system.settle(SLACK);
        }
    }

    private Duration slack() {
        return timed ? TIMED_SLACK : SLACK;
    }

    private void passTime(JsonNode entry) throws InterruptedException {
        if (!entry.has("ms")) {
            if (entry.has("do")) {
                advanceTo(system.clock.now().plusSeconds(2));
            }
            return;
        }
        advanceTo(start.plusMillis(entry.get("ms").longValue()));
    }

    private void advanceTo(Instant time) throws InterruptedException {
        while (true) {
            Duration left = Duration.between(system.clock.now(), time);
            if (left.isNegative() || left.isZero()) {
                return;
            }
            Duration due = system.nextDue();
            system.clock.advance(due != null && due.compareTo(left) < 0 ? due : left);
            settle(Duration.ZERO);
        }
    }

    private void remember(JsonNode change) {
        writes.remember(change);
        if (text(change, "k").equals("Event") && text(change, "src").endsWith("controller")) {
            wantedReasons.add(text(change, "reason"));
        }
        ends.remember(change);
    }

    private void perform(JsonNode entry) {
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
                assertThat(kubectl.run(args, system.clock.now())).as("kubectl %s", args)
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

    private void kubelet(JsonNode entry) {
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
                        system.clock.now().minusSeconds(secondsAgo).atOffset(java.time.ZoneOffset.UTC))));
    }

    private void quiesce(JsonNode q, int index, List<JsonNode> trace) throws InterruptedException {
        settle(slack());
        String wanted = forgiven(GoldenState.recorded(q));
        JsonNode next = trace.subList(index + 1, trace.size()).stream().filter(e -> e.has("ms") && !e.has("k"))
                .findFirst().orElse(null);
        Instant until = next == null ? system.clock.now().plusSeconds(60) : start.plusMillis(next.get("ms").asLong());
        Duration due;
        while (timed && !wanted.equals(now()) && (due = system.nextDue()) != null
                && !system.clock.now().plus(due).isAfter(until)) {
            system.clock.advance(due);
            settle(Duration.ZERO);
        }
        assertThat(now()).as("quiescent state at entry %d", index).isEqualTo(wanted);
        if (!lenient) {
            assertThat(newReasons()).as("reasons of events before entry %d", index).isEqualTo(wantedReasons);
        }
        wantedReasons.clear();
        ends.match(api.list("pod"), names, lenient);
    }

    private String now() {
        return forgiven(names.toRecorded(state.now()).lines().sorted().collect(Collectors.joining("\n")));
    }

    /** What a rollout has come to since the status before: where a crash kept one from being written, there is no "since". */
    private String forgiven(String states) {
        return lenient
                ? states.replace("Progressing=True/NewReplicaSetAvailable", "Progressing=True/ReplicaSetUpdated")
                : states;
    }

    /** The reasons of Events that were written since the last call. */
    private Set<String> newReasons() {
        Set<String> reasons = new TreeSet<>();
        for (JsonNode event : api.list("event")) {
            String name = GoldenState.name(event);
            String version = text(event.path("metadata"), "resourceVersion");
            if (!version.equals(knownEvents.put(name, version))) {
                reasons.add(text(event, "reason"));
            }
        }
        return reasons;
    }

    private void compareSurvivors(JsonNode wanted, int index) {
        Set<String> there = new TreeSet<>();
        api.list("pod").forEach(p -> there.add(GoldenState.name(p)));
        List<String> survivors = names.pods().entrySet().stream().filter(e -> there.contains(e.getValue()))
                .map(Map.Entry::getKey).toList();
        assertThat(survivors).as("survivors at entry %d", index)
                .containsExactlyElementsOf(wanted.valueStream().map(JsonNode::asString).toList());
    }

    private void compareFinal() {
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
        scenario.get("final").get("objects").properties().forEach(e -> wanted.put(e.getKey(),
                GoldenState.reduced(e.getValue(), e.getKey().startsWith("ReplicaSet/"))));
        assertThat(found.keySet()).as("objects at the end").isEqualTo(wanted.keySet());
        wanted.forEach((name, values) -> assertThat(found.get(name)).as("%s at the end", name).isEqualTo(values));
        Map<String, TreeMap<String, Integer>> pods = new TreeMap<>();
        state.podCounts().forEach((owner, counts) -> pods.put(names.toRecorded(owner), counts));
        Map<String, TreeMap<String, Integer>> wantedPods = new TreeMap<>();
        scenario.get("final").path("pods").properties()
                .forEach(e -> wantedPods.put(e.getKey(), GoldenState.counts(e.getValue())));
        assertThat(pods).as("pods at the end").isEqualTo(wantedPods);
    }

    private void podCreated(String name, String replicaSet) {
        String alias = names.podCreated(name, replicaSet);
        if (!bindsByHand && !neverBound.contains(alias)) {
            api.bind(name, "hollow-0");
        }
    }

    @Override
    public <R> R write(Request request, Supplier<R> call) {
        if (crashed) {
            throw dead(request);
        }
        boolean crashesHere = tries++ == crashAt;
        if (crashesHere && !crashAfter) {
            crashed = true;
            throw dead(request);
        }
        boolean counts = !lenient && writes.counts(request);
        R answer = call.get();
        if (counts) {
            writes.add(request);
        }
        if (request.verb().equals("create") && answer instanceof V1ReplicaSet replicaSet) {
            names.replicaSetCreated(replicaSet.getMetadata().getName(),
                    replicaSet.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage());
        } else if (request.verb().equals("create") && answer instanceof V1Pod pod) {
            podCreated(pod.getMetadata().getName(), pod.getMetadata().getOwnerReferences().getFirst().getName());
        }
        if (crashesHere) {
            crashed = true;
            throw dead(request);
        }
        return answer;
    }

    private static ApiError dead(Request request) {
        return new ApiError(request.toString(), new IllegalStateException("the manager has crashed"));
    }

    @Override
    public KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        return !lenient ? call.get() : SteppedSystem.WORKLOAD_TYPES;
    }

    @Override
    public void close() {
        system.close();
    }
}
