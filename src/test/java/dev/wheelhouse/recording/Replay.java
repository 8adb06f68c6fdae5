package dev.wheelhouse.recording;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.simulation.KeptObjects;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.SteppedSystem;
import dev.wheelhouse.testing.WriteRequest;

/**
 * Plays a recorded scenario on a {@link SteppedSystem}, at the recorded times, and compares. The clock stands at a
 * recorded state's time less half of the idle time, because the recorded state did not change during the idle time.
 */
final class Replay implements Interceptor, AutoCloseable {
    private static final String CLAIMS = "resourceclaims.resource.k8s.io";

    private final Scenario scenario;
    private final Recording recording;
    private final SteppedSystem system;
    private final Names names;
    private final Traffic traffic;
    private final Wire wire;
    private final Metrics metrics;
    private final Actors actors;
    private final Kubelet kubelet;
    private final State state;
    private final DeletionOrder uids;
    private final Map<String, Integer> writes = new TreeMap<>();
    /** Warnings that the recording and the replay have both given. How often one comes again depends on the time. */
    private final Set<String> warnings = new TreeSet<>();
    private final Set<ResourceType> required = new HashSet<>();
    private int at;
    private int tries;
    private int crashAt = -1;
    private boolean crashAfter;
    private boolean crashed;

    /**
     * A place between two entries, from which another replay can continue.
     *
     * @param next the next entry
     */
    record Checkpoint(Scenario scenario, Recording recording, int next, Instant time, KeptObjects objects, Names names,
            Traffic traffic, JsonNode metrics) {}

    /** @param seed determines UIDs and generated names */
    Replay(Scenario scenario, long seed) {
        this(scenario, Recording.read(scenario), seed);
    }

    /** @param seed determines UIDs and generated names */
    Replay(Scenario scenario, Recording recording, long seed) {
        this(scenario, recording, new Names(), null, seed);
        system.clock.jump(Duration.between(system.clock.now(), recording.manager()));
        wire.post(ResourceType.NAMESPACES.path(""), Json.object().set("metadata",
                Json.object().put("name", scenario.namespace()))).expected();
        if (!scenario.hasNodes()) {
            actors.addNodes();
        }
    }

    /**
     * Continues from a checkpoint, with a new manager.
     *
     * @param seed differs from the seed that led to the checkpoint, so that UIDs and names do not repeat
     */
    Replay(Checkpoint from, long seed) {
        this(from.scenario, from.recording, from.names.copy(), from, seed);
        system.clock.jump(Duration.between(system.clock.now(), from.time));
        at = from.next;
        metrics.say(from.metrics);
    }

    private Replay(Scenario scenario, Recording recording, Names names, @Nullable Checkpoint from, long seed) {
        this.scenario = scenario;
        this.recording = recording;
        this.names = names;
        traffic = from == null ? new Traffic(names) : from.traffic.copy(names);
        uids = DeletionOrder.of(recording, seed);
        system = new SteppedSystem(this, seed, null, from == null ? Storage.inMemory() : from.objects, uids);
        system.with(scenario.controllerOptions());
        with(BuiltInControllers.all());
        wire = Wire.to(system.server.rest());
        metrics = new Metrics(wire, names, system.clock);
        actors = new Actors(wire, scenario.namespace(), names);
        kubelet = new Kubelet(wire, scenario.namespace(), names, system.clock);
        state = new State(wire, scenario, names);
    }

    /** Plays with those of these controllers that run in the scenario, instead of the built-in ones. */
    Replay with(List<ControllerDescriptor> controllers) {
        List<ControllerDescriptor> running = controllers.stream().filter(each -> scenario.runs(each.name())).toList();
        required.clear();
        running.forEach(each -> required.addAll(each.requires()));
        system.with(running);
        return this;
    }

    /** Ends the manager's process at one of its writes, counted from 0, and starts another process. */
    Replay crashingAt(int write, boolean afterIt) {
        crashAt = write;
        crashAfter = afterIt;
        return this;
    }

    /** The number of writes that the manager has tried. */
    int tries() {
        return tries;
    }

    /**
     * Plays all steps.
     *
     * @return the differences from the recording, except those that the scenario leaves to chance
     */
    List<String> run() throws InterruptedException {
        begin();
        while (hasNext()) {
            List<String> lines = next();
            if (!lines.isEmpty()) {
                return lines;
            }
        }
        return Difference.withoutChance(Difference.ofWrites(Difference.total(recording), writes, true), scenario);
    }

    /** Starts the manager. */
    void begin() throws InterruptedException {
        system.startManager();
        settle();
        if (at == 0) {
            // Periodic work has the recorded phase.
            advanceTo(recording.began());
            traffic.take();
        }
    }

    boolean hasNext() {
        return at < recording.entries().size();
    }

    /**
     * Plays the next entry.
     *
     * @return the differences, except those that the scenario leaves to chance
     */
    List<String> next() throws InterruptedException {
        Recording.Entry entry = recording.entries().get(at);
        int index = at++;
        Instant until = hasNext() ? time(recording.entries().get(at).at()) : time(entry.until());
        Recording.Entry here = play(entry, until);
        List<String> lines = Difference.of(index, entry, here, warnings);
        here.events().stream().filter(e -> e.startsWith(EventRecorder.WARNING) && entry.events().contains(e))
                .forEach(warnings::add);
        return Difference.withoutChance(lines, scenario);
    }

    /** A checkpoint, for a time when the manager has nothing to do, because its memory is not part of it. */
    Checkpoint checkpoint() {
        List<String> resources = new ArrayList<>(state.resources());
        Stream.of(ResourceType.NAMESPACES, ResourceType.NODES, ResourceType.SERVICE_ACCOUNTS)
                .map(ResourceType::groupResource)
                .filter(r -> !resources.contains(r)).forEach(resources::add);
        return new Checkpoint(scenario, recording, at, system.clock.now(),
                KeptObjects.of(system.server.store(), resources), names.copy(), traffic.copy(names), metrics.said());
    }

    /** @param next the time of the next action, until which the recorded state holds */
    private Recording.Entry play(Recording.Entry entry, Instant next) throws InterruptedException {
        advanceTo(time(entry.at()));
        int code = perform(entry);
        settle();
        advanceTo(time(entry.until()).minus(scenario.idle().dividedBy(2)));
        Set<String> events = new TreeSet<>(state.newEvents());
        Map<String, JsonNode> here = state.now();
        while (!entry.state().equals(here) || !names.toAliases(events).containsAll(entry.events())) {
            Duration due = system.nextDue();
            if (due == null || system.clock.now().plus(due).isAfter(next)) {
                break;
            }
            system.clock.advance(due);
            settle();
            events.addAll(state.newEvents());
            here = state.now();
        }
        Map<String, Integer> written = traffic.take();
        written.forEach((write, count) -> writes.merge(write, count, Integer::sum));
        return new Recording.Entry(entry.step(), entry.kubelet(), entry.at(), entry.until(), code, here,
                names.toAliases(events), written);
    }

    private int perform(Recording.Entry entry) {
        JsonNode step = scenario.steps().get(entry.step());
        if (entry.kubelet() != null) {
            kubelet.perform(entry.kubelet());
            return 0;
        }
        if (step.has("fault")) {
            traffic.add(step.get("fault"));
        } else if (step.has("metrics")) {
            metrics.say(step.get("metrics"));
        } else if (step.has("restart")) {
            system.startManager();
        }
        return actors.perform(step);
    }

    private Instant time(long millis) {
        return recording.began().plusMillis(millis);
    }

    private void settle() throws InterruptedException {
        system.settle(Duration.ZERO);
        if (crashed) {
            crashed = false;
            system.startManager();
            system.settle(Duration.ZERO);
        }
    }

    private void advanceTo(Instant time) throws InterruptedException {
        while (true) {
            Duration left = Duration.between(system.clock.now(), time);
            if (left.isNegative() || left.isZero()) {
                return;
            }
            Duration due = system.nextDue();
            system.clock.advance(due != null && due.compareTo(left) < 0 ? due : left);
            settle();
        }
    }

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
        String namespace = request.key().namespace();
        if (crashed) {
            throw dead(request);
        }
        if (!namespace.isEmpty() && !namespace.equals(scenario.namespace())) {
            return call.get();
        }
        boolean crashesHere = tries++ == crashAt;
        if (crashesHere && !crashAfter) {
            crashed = true;
            throw dead(request);
        }
        R answer = carryOut(request, call);
        if (crashesHere) {
            crashed = true;
            throw dead(request);
        }
        return answer;
    }

    private static KubeApiException dead(WriteRequest request) {
        return new KubeApiException(request.toString(), new IOException("the manager has crashed"));
    }

    private <R> R carryOut(WriteRequest request, Supplier<R> call) {
        String write = request.toString().replaceFirst("^apply ", "patch ");
        String fault = traffic.begin(write, patch -> wire
                .patch(request.type().path(request.key()), "merge", patch).expected());
        if ("429".equals(fault)) {
            // The client over HTTP repeats the request a second later, as the proxy asks it to do.
            traffic.end(write, 0, null);
            return carryOut(request, call);
        }
        int code = 0;
        JsonNode created = null;
        try {
            if (fault != null && !fault.equals(Traffic.LOST)) {
                throw new KubeApiException(request.toString(), Integer.parseInt(fault), Proxy.reason(fault),
                        Proxy.message(fault), null);
            }
            if (write.startsWith("create pods ")) {
                uids.next(names.next(ModelJson.tree(request.object())));
            }
            R answer = call.get();
            code = 200;
            if (request.verb().equals("create") && request.subresource().isEmpty()
                    && answer instanceof KubernetesObject object) {
                created = ((ObjectNode) ModelJson.tree(object)).put("kind", request.type().kind());
            }
            if (fault != null) {
                throw new KubeApiException(request.toString(), new IOException(Traffic.LOST));
            }
            return answer;
        } finally {
            uids.none();
            traffic.end(write, code, created);
        }
    }

    @Override
    public JsonNode read(String path, Map<String, String> query, Supplier<JsonNode> call) {
        JsonNode document = Metrics.discovery(path);
        if (document != null) {
            return document;
        }
        if (Metrics.namespace(path) == null) {
            return call.get();
        }
        Wire.Answer answer = metrics.answer(path, query);
        if (!answer.succeeded()) {
            throw new KubeApiException("get " + path, answer.code(), Json.text(answer.body(), "reason"),
                    Json.text(answer.body(), "message"), null);
        }
        return answer.body();
    }

    /**
     * {@inheritDoc} The types that the states show, those that controllers require, Services, and ResourceClaims, of
     * which a quota may count none. Policies may be about any type.
     */
    @Override
    public KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        KubeClient.Discovered all = call.get();
        return scenario.name().startsWith("policy/")
                ? all
                : new KubeClient.Discovered(all.types().stream()
                        .filter(type -> state.reads(type) || required.contains(type)
                                || type.equals(ResourceType.SERVICES)
                                || type.groupResource().equals(CLAIMS))
                        .toList(),
                        List.of(), all.failures());
    }

    @Override
    public void close() {
        system.close();
    }
}
