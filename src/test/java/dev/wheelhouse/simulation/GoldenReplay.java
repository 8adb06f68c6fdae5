package dev.wheelhouse.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ReplicaSet;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.controllers.node.TtlController;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;
import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedSystem;
import dev.wheelhouse.testing.WriteRequest;

/** Replays one recorded scenario on a {@link SteppedSystem}. A {@link GoldenComparison} compares the results. */
final class GoldenReplay implements Interceptor, AutoCloseable {
    /** Controllers that write although nobody has made a workload. */
    private static final Set<String> OTHERS = Set.of("namespace-controller", "disruption-controller",
            "clusterrole-aggregation-controller", "root-ca-certificate-publisher-controller",
            "serviceaccount-controller", NodeLifecycleController.NAME, TaintEvictionController.NAME,
            TtlController.NAME, QuotaController.NAME, ServiceCidrController.NAME);
    /** All controllers except those of namespaces, disruption budgets, quotas, nodes, service accounts and roles. */
    private static final List<ControllerDescriptor> WORKLOADS = BuiltInControllers.all().stream()
            .filter(c -> !OTHERS.contains(c.name())).toList();
    private static final KubeClient.Discovered WORKLOAD_TYPES = new KubeClient.Discovered(
            List.of(ResourceType.DEPLOYMENTS, ResourceType.REPLICA_SETS, ResourceType.PODS), List.of());
    private static final List<String> RESOURCES = List.of("deployments.apps", "replicasets.apps", "pods");
    private static final Duration SLACK = Duration.ofSeconds(1);
    private static final Duration TIMED_SLACK = Duration.ofMillis(100);

    private final JsonNode scenario;
    private final List<JsonNode> trace;
    private final boolean timed;
    private final SteppedSystem system;
    private final Api api;
    private final GoldenComparison comparison;
    private final RecordedSteps steps;
    private final RecordedNames names;
    private final RecordedEnds ends;
    private final Instant start;
    private final ComparedWrites writes;
    private boolean lenient;
    private int at;
    private int crashAt = -1;
    private boolean crashAfter;
    private boolean crashed;
    private int tries;
    private int expected;

    /** @param seed determines UIDs and generated names */
    GoldenReplay(String name, long seed) throws IOException {
        this(name, seed, null);
    }

    /** @param order determines the order of the workers in each turn; null for a fixed order */
    GoldenReplay(String name, long seed, @Nullable Random order) throws IOException {
        this(read(name), seed, order, null);
    }

    /**
     * Continues from a checkpoint, with a new manager.
     *
     * @param seed differs from the seed that led to the checkpoint, so that UIDs and names do not repeat
     */
    GoldenReplay(Checkpoint from, long seed) {
        this(from.scenario(), seed, null, from);
        withCrashes();
    }

    private GoldenReplay(JsonNode scenario, long seed, @Nullable Random order, @Nullable Checkpoint from) {
        this.scenario = scenario;
        trace = scenario.get("trace").valueStream().toList();
        timed = scenario.get("timed").booleanValue();
        system = new SteppedSystem(this, seed, order, from == null ? Storage.inMemory() : from.objects(),
                new SplittableRandom(seed));
        start = system.clock.now();
        api = new Api(system.server);
        boolean reportsTerminating = !text(scenario, "server").startsWith("v1.26");
        writes = new ComparedWrites(api, reportsTerminating);
        names = from == null ? new RecordedNames() : from.names().copy();
        ends = from == null ? new RecordedEnds() : from.ends().copy();
        comparison = new GoldenComparison(api, names, ends, reportsTerminating);
        steps = new RecordedSteps(api, names, system.clock,
                trace.stream().anyMatch(e -> text(e, "kubelet").equals("bind")));
        if (from != null) {
            at = from.next();
            expected = from.expected();
            from.neverBound().forEach(steps::neverBind);
            system.clock.advance(Duration.between(start, from.time()));
        }
    }

    /**
     * Allows the effects of crashes: Events may be lost or repeated, and writes repeated, but states must be equal.
     * Because there are many such runs, garbage collection covers only the types of the scenario.
     */
    GoldenReplay withCrashes() {
        lenient = true;
        comparison.beLenient();
        system.with(WORKLOADS);
        return this;
    }

    /** Ends the manager's process at one of its writes, counted from 0, and starts another process. */
    GoldenReplay crashingAt(int write, boolean afterIt) {
        crashAt = write;
        crashAfter = afterIt;
        return withCrashes();
    }

    /** The number of writes that the manager has tried. */
    int tries() {
        return tries;
    }

    /** @param name the name of a recorded scenario; that of version 1.36 starts with {@code 1.36/} */
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

    /**
     * Continues to the next recorded quiescent state, and compares.
     * @return false if there is none; nothing was done then
     */
    boolean toNextQuiescence() throws InterruptedException {
        boolean more = trace.subList(at, trace.size()).stream().anyMatch(e -> e.has("q"));
        boolean there = !more;
        while (!there) {
            there = trace.get(at).has("q");
            replay(at++);
        }
        return more;
    }

    /** Continues to the end, and compares the final state with the recorded one. */
    void end() throws InterruptedException {
        while (at < trace.size()) {
            replay(at++);
        }
        settle(slack());
        comparison.compareFinal(scenario.get("final"));
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
            steps.perform(entry);
        } else if (entry.has("kubelet")) {
            steps.kubelet(entry);
        } else if (entry.has("q")) {
            quiesce(entry.get("q"), i, trace);
        } else if (entry.has("survivors")) {
            comparison.compareSurvivors(entry.get("survivors"), i);
        }
        changes.forEach(writes::remember);
        changes.forEach(comparison::remember);
    }

    /**
     * A checkpoint from which another replay can continue. Call it at a quiescent state, because the manager's memory
     * is not part of it.
     */
    Checkpoint checkpoint() {
        return new Checkpoint(scenario, at, system.clock.now(), KeptObjects.of(system.server.store(), RESOURCES),
                names.copy(),
                ends.copy(), expected, steps.neverBound(), comparison.describe());
    }

    String describe() {
        return comparison.describe();
    }

    /**
     * Records the names of objects that are created before the next quiescent state, and the pods that are deleted
     * without having been bound.
     */
    private void expectFrom(List<JsonNode> trace, int from) {
        for (int i = Math.max(from, expected); i < trace.size() && !trace.get(i).has("q"); i++) {
            JsonNode entry = trace.get(i);
            names.expect(entry);
            if (text(entry, "k").equals("Pod") && text(entry, "t").equals("gone")) {
                entry.get("pods").forEach(p -> steps.neverBind(p.asString()));
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

    private void quiesce(JsonNode q, int index, List<JsonNode> trace) throws InterruptedException {
        settle(slack());
        String wanted = comparison.wanted(q);
        JsonNode next = trace.subList(index + 1, trace.size()).stream().filter(e -> e.has("ms") && !e.has("k"))
                .findFirst().orElse(null);
        Instant until = next == null ? system.clock.now().plusSeconds(60) : start.plusMillis(next.get("ms").asLong());
        Duration due;
        while (timed && !wanted.equals(comparison.now()) && (due = system.nextDue()) != null
                && !system.clock.now().plus(due).isAfter(until)) {
            system.clock.advance(due);
            settle(Duration.ZERO);
        }
        comparison.compareQuiescent(wanted, index);
    }

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
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
            steps.podCreated(pod.getMetadata().getName(), pod.getMetadata().getOwnerReferences().getFirst().getName());
        }
        if (crashesHere) {
            crashed = true;
            throw dead(request);
        }
        return answer;
    }

    private static KubeApiException dead(WriteRequest request) {
        return new KubeApiException(request.toString(), new IllegalStateException("the manager has crashed"));
    }

    @Override
    public KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        return !lenient ? call.get() : WORKLOAD_TYPES;
    }

    @Override
    public void close() {
        system.close();
    }
}
