package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/** One run of a workload: users, nodes, managers and faults take turns in an order determined by the seed. */
final class Simulation implements AutoCloseable {
    private static final int PATIENCE = 400;
    /** The longest backoff of a watch that broke several times, in seconds. */
    private static final int LONGEST_BACKOFF_SECONDS = 45;
    /** A time longer than any workload's minReadySeconds. */
    private static final Duration QUIET = Duration.ofSeconds(10);
    /**
     * A limit above the number of turns that any run needs after the faults; waits for a backoff take many short turns.
     */
    private static final int MOST_TURNS = 20_000;
    /** A limit above the number of steps of any run that ends. */
    private static final int MOST_STEPS = 400_000;

    private final long seed;
    private final Random random;
    private final double rate;
    private final PlantedFault planted;
    private final Workload workload;
    private final ManualClock clock = new ManualClock();
    private final ApiServer server;
    private final Api api;
    private final Story story = new Story(clock);
    private final Checks checks;
    private final SimulatedNodes nodes;
    private @Nullable Manager manager;
    private @Nullable Faults faults;
    private @Nullable Manager deposed;
    private @Nullable Faults deposedFaults;
    private Tally late = Tally.NONE;
    private int managers;
    private int steps;
    private long nextDue;

    /** @param rate the probability of a fault per call of the manager; 0 for none */
    Simulation(long seed, double rate, PlantedFault planted) {
        this.seed = seed;
        this.random = new Random(seed * 31 + 7);
        this.rate = rate;
        this.planted = planted;
        this.workload = Workload.of(seed);
        this.server = new ApiServer(
                ApiServerOptions.defaults().withClock(clock).withRandom(new SplittableRandom(seed)));
        this.api = new Api(server.rest());
        this.checks = new Checks(server.client("truth"), story, () -> manager, () -> deposed);
        this.nodes = new SimulatedNodes(api, random, story, clock, workload.disrupted());
        if (workload.disrupted()) {
            checks.disrupted();
        }
    }

    /**
     * Runs the simulation.
     * @param wanted the final state of the run without faults; null if this is that run
     * @return the final state
     * @throws AssertionError with the story, if an invariant was violated
     */
    String run(@Nullable String wanted) throws InterruptedException {
        try {
            newManager();
            story.tell("the user creates " + workload.manifest().replaceAll("\\s+", " "));
            Api.expect(api.call("POST", Api.path(workload.kind(), ""), "application/json",
                    Json.read(workload.manifest())));
            untilSeen();
            for (Workload.Step step : workload.steps()) {
                turns(random.nextInt(rate > 0 ? 60 : 20));
                if (rate > 0 && random.nextInt(6) == 0) {
                    takeOver();
                }
                if (step.body().contains("Orphan") || step.body().contains("Foreground")) {
                    quietMoment();
                }
                perform(step);
                untilSeen();
            }
            turns(random.nextInt(60));
            String end = converge(wanted);
            throwViolations();
            return end;
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + story.text(), e);
        }
    }

    private void throwViolations() {
        if (!story.violations().isEmpty()) {
            throw new AssertionError(story.violations().getFirst());
        }
    }

    /**
     * Lets all participants catch up, including watches in their backoff. If the garbage collector releases an owner
     * whose dependents it has not all seen, it can neither orphan nor wait for the missing ones, as in upstream.
     * Whether it has seen them is random.
     */
    private void quietMoment() throws InterruptedException {
        endDeposed();
        if (faults == null || faults.isCrashed()) {
            newManager();
        }
        faults.end();
        for (int second = 0; second < LONGEST_BACKOFF_SECONDS; second++) {
            for (int i = 0; i < PATIENCE && calmTurn(); i++) {
                nodes.act(false);
            }
            clock.advance(Duration.ofSeconds(1));
        }
        faults.goOn(rate);
    }

    private void newManager() {
        if (manager != null) {
            manager.close();
        }
        checks.newManager();
        faults = new Faults(random, story, "manager " + ++managers, checks, rate);
        manager = planted.manager(server, faults, clock, seed);
    }

    private void takeOver() throws InterruptedException {
        endDeposed();
        deposed = manager;
        deposedFaults = faults;
        if (deposedFaults != null) {
            deposedFaults.freeze();
        }
        manager = null;
        story.tell("manager " + managers + " loses the lead, and does not know");
        newManager();
    }

    private void endDeposed() {
        if (deposed != null) {
            deposed.close();
            deposed = null;
            story.tell("the deposed manager ends");
            late = deposedFaults == null ? late : late.plus(deposedFaults.late());
        }
    }

    private void perform(Workload.Step step) {
        story.tell("the user " + step.sentence());
        switch (step.verb()) {
            case "create" -> Api.expect(api.call("POST", Api.path(workload.kind(), ""), "application/json",
                    Json.read(step.body())));
            case "patch" -> Api.expect(api.patch(workload.kind(), step.name(), "strategic", Json.read(step.body())));
            case "delete" -> Api.expect(api.call("DELETE", Api.path(workload.kind(), step.name()), "application/json",
                    Json.read(step.body())));
            case "undo" -> new KubectlSteps(api).run(List.of("rollout", "undo", "deploy/" + step.name()), clock.now());
            case "kill" -> {
                String name = nodes.anyPod();
                if (name != null) {
                    checks.ends(name);
                    Api.expect(api.call("DELETE", Api.path("pod", name), "", null));
                }
            }
            case "fail" -> {
                String name = nodes.anyPod();
                if (name != null) {
                    checks.ends(name);
                    nodes.evict(name);
                }
            }
            default -> throw new IllegalArgumentException(step.verb());
        }
    }

    private void turns(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            turn();
        }
    }

    /** Steps each loop once, in random order. Then a node may act, and the clock may move. */
    private void turn() throws InterruptedException {
        throwViolations();
        if (faults == null || manager == null || faults.isCrashed()) {
            newManager();
        }
        nextDue = Loop.IDLE;
        List<Loop> loops = new ArrayList<>(manager.caches());
        loops.addAll(manager.workers());
        if (deposed != null && deposedFaults != null) {
            loops.addAll(deposed.caches());
            loops.addAll(deposed.workers());
        }
        Collections.shuffle(loops, random);
        boolean busy = false;
        for (Loop loop : loops) {
            long wait = step(loop);
            busy |= wait == Loop.BUSY;
            nextDue = wait > 0 ? Math.min(nextDue, wait) : nextDue;
            if (deposedFaults != null) {
                checks.allow(deposedFaults.createsSinceFrozen(), deposedFaults.deletesSinceFrozen());
            }
        }
        if (deposed != null && random.nextInt(15) == 0) {
            endDeposed();
        }
        if (random.nextInt(3) == 0) {
            nodes.act(false);
        }
        if (!busy) {
            clock.advance(Duration.ofNanos(Math.min(nextDue, 100_000_000)));
        }
    }

    private long step(Loop loop) throws InterruptedException {
        if (++steps > MOST_STEPS) {
            throw new AssertionError("no end after " + steps + " steps; the next one is that of " + loop);
        }
        return loop.step();
    }

    /**
     * Waits until the controllers have observed the last step. Otherwise the effect of the next step would be random.
     */
    private void untilSeen() throws InterruptedException {
        for (int i = 0; !isSeen(); i++) {
            if (i == PATIENCE && faults != null) {
                story.tell("the faults end, for nothing moves");
                endDeposed();
                faults.end();
            }
            if (i > 4 * PATIENCE) {
                throw new AssertionError("no status tells that the last change was seen");
            }
            turn();
        }
    }

    private boolean isSeen() {
        for (JsonNode object : api.list(workload.kind())) {
            if (object.path("metadata").path("generation").asLong(0) != object.path("status")
                    .path("observedGeneration").asLong(-1)) {
                return false;
            }
            if (object.path("metadata").has("deletionTimestamp")) {
                return false;
            }
            if (workload.kind().equals("deployment") && !object.path("spec").path("paused").asBoolean(false)
                    && !hasItsReplicaSet(object)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasItsReplicaSet(JsonNode deployment) {
        JsonNode revision = revision(deployment);
        return api.list("replicaset").stream().anyMatch(r -> revision(r).equals(revision)
                && GoldenState.image(r).equals(GoldenState.image(deployment)));
    }

    private static JsonNode revision(JsonNode object) {
        return object.path("metadata").path("annotations").path("deployment.kubernetes.io/revision");
    }

    private String converge(@Nullable String wanted) throws InterruptedException {
        endDeposed();
        if (faults == null || faults.isCrashed()) {
            newManager();
        }
        story.tell("the faults end");
        faults.end();
        String end = "";
        Duration waited = Duration.ZERO;
        Duration changed = Duration.ZERO;
        for (int i = 0; i < MOST_TURNS; i++) {
            boolean busy = false;
            for (int j = 0; j < 200; j++) {
                if (!calmTurn()) {
                    break;
                }
                busy = true;
            }
            busy |= nodes.act(true);
            if (busy) {
                continue;
            }
            String now = state();
            if ((wanted != null ? now.equals(wanted) : now.equals(end) && waited.minus(changed).compareTo(QUIET) > 0)
                    && plan().isEmpty()) {
                end = now;
                break;
            }
            changed = now.equals(end) ? changed : waited;
            end = now;
            if (waited.toMinutes() > 30) {
                break;
            }
            Duration hop = Duration.ofNanos(Math.max(1_000_000, Math.min(nextDue, 60_000_000_000L)));
            waited = waited.plus(hop);
            clock.advance(hop);
        }
        if (wanted != null && !end.equals(wanted)) {
            throw new AssertionError("the run without faults ends with\n" + wanted + "\nand this one with\n" + end);
        }
        List<Action> left = plan();
        if (!left.isEmpty()) {
            throw new AssertionError("at quiescence there is still to do: " + left);
        }
        return end;
    }

    private List<Action> plan() {
        List<ObjectKey> keys = new ArrayList<>();
        api.list("deployment").forEach(d -> keys.add(ObjectKey.of("default", GoldenState.name(d))));
        api.list("replicaset").forEach(r -> keys.add(ObjectKey.of("default", GoldenState.name(r))));
        return manager == null ? List.of() : manager.plan(keys);
    }

    private boolean calmTurn() throws InterruptedException {
        throwViolations();
        nextDue = Loop.IDLE;
        boolean busy = false;
        List<Loop> loops = new ArrayList<>(manager.caches());
        loops.addAll(manager.workers());
        for (Loop loop : loops) {
            long wait = step(loop);
            busy |= wait == Loop.BUSY;
            nextDue = wait > 0 ? Math.min(nextDue, wait) : nextDue;
        }
        return busy;
    }

    /** The final state, by image, without names, versions and anything that depends on time. */
    private String state() {
        Map<String, String> lines = new TreeMap<>();
        for (Map.Entry<String, Map<String, String>> e : new GoldenState(api).objects().entrySet()) {
            Map<String, String> values = new TreeMap<>(e.getValue());
            boolean replicaSet = e.getKey().startsWith("ReplicaSet/");
            values.keySet().removeIf(k -> k.equals("selector") || k.equals("labels") || k.equals("templateLabels"));
            if ("0".equals(values.get("replicas"))) {
                values.keySet().removeIf(k -> replicaSet && k.endsWith("/desired-replicas"));
            }
            // The annotation depends on the strategy when the ReplicaSet was last resized.
            values.keySet().removeIf(k -> replicaSet && k.endsWith("/max-replicas"));
            if (workload.steps().stream().anyMatch(s -> s.verb().equals("create"))) {
                // When a Deployment is created again, it is random whether a ReplicaSet of its predecessor still has
                // the name.
                values.remove("status.collisionCount");
            }
            // A Recreate may be complete before or after its new ReplicaSet exists, so its name may be missing in the
            // message.
            values.computeIfPresent("cond.Progressing", (k, v) -> v.replaceAll("[a-z]+-[0-9a-z]+", "X")
                    .replaceAll("(ReplicaSet|Deployment) .{1,9} has successfully", "It has successfully"));
            lines.put(
                    replicaSet && !values.get("owners").equals("[]")
                            ? "ReplicaSet of " + values.get("image")
                            : e.getKey(),
                    values.toString());
        }
        Map<String, Integer> pods = new TreeMap<>();
        for (JsonNode pod : api.list("pod")) {
            if (GoldenState.word(pod).equals("failed")) {
                // The choice of the evicted pod is random, and the pod stays until its ReplicaSet is deleted.
                continue;
            }
            pods.merge("pods " + GoldenState.text(pod.path("spec").path("containers").path(0), "image") + " "
                    + GoldenState.word(pod) + " of " + GoldenState.owner(pod).replaceAll("-.*", ""), 1, Integer::sum);
        }
        pods.forEach((what, count) -> lines.put(what, count.toString()));
        return String.join("\n", lines.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList());
    }

    Tally tally() {
        return new Tally(managers, 0, 0, 0, 0).plus(late);
    }

    @Override
    public void close() {
        if (deposed != null) {
            deposed.close();
        }
        if (manager != null) {
            manager.close();
        }
        server.close();
    }
}
