package dev.wheelhouse.recording;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.runtime.Clock;

import static dev.wheelhouse.testing.Eventually.eventually;

/** Plays one scenario against a control plane, and writes down what happens. */
final class Recorder {
    private static final Duration REMOVAL = Duration.ofSeconds(10);
    private static final int MOST_ROUNDS = 100;
    /** The longest time that a step's effects may take. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final ControlPlane plane;
    private final Scenario scenario;
    private final Names names = new Names();
    private final Traffic traffic = new Traffic(names);
    private final Wire wire;
    private final Metrics metrics;
    private final Actors actors;
    private final Kubelet kubelet;
    private final State state;
    private final List<Recording.Entry> entries = new ArrayList<>();
    private Instant began = Instant.EPOCH;

    private Recorder(ControlPlane plane, Scenario scenario) {
        this.plane = plane;
        this.scenario = scenario;
        wire = plane.user();
        metrics = new Metrics(wire, names, Clock.system());
        actors = new Actors(wire, scenario.namespace(), names);
        kubelet = new Kubelet(wire, scenario.namespace(), names, Clock.system());
        state = new State(wire, scenario, names);
    }

    static Recording record(ControlPlane plane, Scenario scenario) throws Exception {
        return new Recorder(plane, scenario).record();
    }

    private Recording record() throws Exception {
        plane.proxy().open(scenario, traffic, metrics);
        try {
            wire.post(ResourceType.NAMESPACES.path(""), Json.object().set("metadata",
                    Json.object().put("name", scenario.namespace()))).expected();
            settle(System.nanoTime());
            traffic.take();
            state.newEvents();
            Instant manager = plane.managerBegan().truncatedTo(ChronoUnit.MILLIS);
            began = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            for (int i = 0; i < scenario.steps().size(); i++) {
                perform(i, scenario.steps().get(i));
            }
            settle(System.nanoTime());
            completeLast();
            return new Recording(plane.version(), manager, began, List.copyOf(entries));
        } finally {
            plane.proxy().close(scenario);
            clear();
        }
    }

    private void perform(int index, JsonNode step) throws Exception {
        if (!step.has("kubelet")) {
            enter(index, null, step);
            return;
        }
        JsonNode wanted = step.get("kubelet");
        boolean rounds = wanted.isString() && wanted.asString().equals("all");
        for (int round = 0; round == 0 || rounds; round++) {
            ObjectNode plan = kubelet.plan(wanted, state.pods());
            if (plan == null) {
                return;
            }
            if (round == MOST_ROUNDS) {
                throw new AssertionError(scenario + ": the kubelet does not come to an end with " + wanted);
            }
            enter(index, plan, step);
        }
    }

    private void enter(int index, @Nullable ObjectNode plan, JsonNode step) throws Exception {
        completeLast();
        long before = now();
        int code = 0;
        if (plan != null) {
            kubelet.perform(plan);
        } else if (step.has("wait")) {
            Duration wait = Scenario.waiting(step.get("wait").asString(), Instant.now());
            long end = System.nanoTime() + wait.toNanos();
            eventually("the wait ends", wait.plusSeconds(10), () -> System.nanoTime() - end >= 0);
        } else if (step.has("fault")) {
            traffic.add(step.get("fault"));
        } else if (step.has("metrics")) {
            metrics.say(step.get("metrics"));
        } else if (step.has("restart")) {
            plane.stopManager();
            plane.startManager(scenario.controllers(), scenario.options());
        } else {
            code = actors.perform(step);
        }
        settle(System.nanoTime());
        entries.add(entry(index, plan, before, code, Set.of(), Map.of()));
    }

    /** Reads the state again as long as controllers have written since, while it was read or later. */
    private void completeLast() {
        while (!entries.isEmpty() && !traffic.isTaken()) {
            Recording.Entry early = entries.removeLast();
            settle(System.nanoTime());
            entries.add(entry(early.step(), early.kubelet(), early.at(), early.code(), early.events(), early.writes()));
        }
    }

    /**
     * An entry with the present state.
     *
     * @param events the Events so far
     * @param writes the writes so far
     */
    private Recording.Entry entry(int index, @Nullable JsonNode plan, long before, int code, Set<String> events,
            Map<String, Integer> writes) {
        long until = now();
        Map<String, Integer> allWrites = new TreeMap<>(writes);
        traffic.take().forEach((write, count) -> allWrites.merge(write, count, Integer::sum));
        Map<String, JsonNode> objects = state.now();
        Set<String> allEvents = new TreeSet<>(events);
        allEvents.addAll(names.toAliases(state.newEvents()));
        return new Recording.Entry(index, plan, before, until, code, objects, allEvents, allWrites);
    }

    private long now() {
        return Duration.between(began, Instant.now()).toMillis();
    }

    /** Waits until the controllers have not written for the scenario's idle time. */
    private void settle(long since) {
        eventually(scenario + " comes to rest", PATIENCE, () -> {
            Duration idle = traffic.idle();
            Duration sinceStep = Duration.ofNanos(System.nanoTime() - since);
            return (idle.compareTo(sinceStep) < 0 ? idle : sinceStep).compareTo(scenario.idle()) >= 0;
        });
    }

    /**
     * Removes the scenario's objects outside of its namespace, and its claims, because a claim that is left could be
     * bound to a volume of the next scenario. The other objects in its namespace go later.
     */
    private void clear() {
        String namespace = scenario.namespace();
        wire.delete(ResourceType.NAMESPACES.path("") + "/" + namespace, null);
        wire.delete(ResourceType.PODS.path(namespace), Json.object().put("gracePeriodSeconds", 0));
        state.raw().forEach(this::release);
        // Controllers may give an object its finalizer again.
        eventually("the objects of " + scenario + " outside of its namespace and its claims are gone", REMOVAL, () -> {
            List<JsonNode> left = state.raw().stream()
                    .filter(o -> !type(o).namespaced() || type(o).equals(ResourceType.PERSISTENT_VOLUME_CLAIMS))
                    .toList();
            left.forEach(this::remove);
            return left.isEmpty();
        });
    }

    private void remove(JsonNode object) {
        wire.delete(path(object), Json.object().put("gracePeriodSeconds", 0));
        release(object);
    }

    private void release(JsonNode object) {
        if (!object.at("/metadata/finalizers").isEmpty()) {
            wire.patch(path(object), "merge", Json.read("{\"metadata\": {\"finalizers\": null}}"));
        }
    }

    private String path(JsonNode object) {
        return Kinds.path(type(object), scenario.namespace(), Names.name(object));
    }

    private static ResourceType type(JsonNode object) {
        return Kinds.type(Json.text(object, "apiVersion"), Json.text(object, "kind"));
    }
}
