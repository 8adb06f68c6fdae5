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
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.simulation.PlantedFault.Defect;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.SteppedManager;
import dev.wheelhouse.world.Authorities;

/** One run of workloads: users, nodes, managers and faults take turns in an order determined by the seed. */
final class Simulation implements AutoCloseable {
    private static final int PATIENCE = 400;
    /** The longest backoff of a watch that broke several times, in seconds. */
    private static final int LONGEST_BACKOFF_SECONDS = 45;
    /** A time in which every run ends, at least, and in multiples of the longest quiet time of the workloads. */
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final int MOST_QUIETS = 15;
    /**
     * A limit above the number of turns that any run needs after the faults; waits for a backoff take many short turns.
     */
    private static final int MOST_TURNS = 20_000;
    /** A limit above the number of steps of any run that ends. */
    private static final int MOST_STEPS = 2_000_000;

    private static final Options OPTIONS = Authorities.options()
            .with(new ControllerOptions.PodGc(PodGarbageInvariants.THRESHOLD))
            .with(new ControllerOptions.Endpoints(Duration.ZERO, Duration.ZERO, ServiceInvariants.MOST, Duration.ZERO,
                    ServiceInvariants.MOST))
            .with(new ControllerOptions.NodeIpam(true, List.of("10.9.0.0/16"), List.of(), 0, 0, 0));

    /** The namespace of all workloads. */
    static final String NAMESPACE = "sim";

    private final long seed;
    private final Random random;
    private final double rate;
    private final Defect defect;
    private final Mix mix;
    private final ManualClock clock = new ManualClock();
    private final ApiServer server;
    private final Api api;
    private final Story story = new Story(clock);
    private final RunHistory history;
    private final Checks checks;
    private final SimulatedNodes nodes;
    private final Environment environment;
    private @Nullable SteppedManager manager;
    private @Nullable Faults faults;
    /** Decides what a manager that stands by does, so that runs without one have the same choices as ever. */
    private final Random standbyRandom;
    private @Nullable SteppedManager standby;
    private @Nullable Faults standbyFaults;
    private @Nullable SteppedManager deposed;
    private @Nullable Faults deposedFaults;
    private Tally late = Tally.NONE;
    private int managers;
    private int steps;
    private long nextDue;

    /** @param rate the probability of a fault per call of the manager; 0 for none */
    Simulation(long seed, Mix mix, double rate, Defect defect) {
        this.seed = seed;
        this.random = new Random(seed * 31 + 7);
        this.standbyRandom = new Random(seed * 37 + 11);
        this.rate = rate;
        this.defect = defect;
        this.mix = mix;
        this.server = new ApiServer(
                ApiServerOptions.defaults().withClock(clock).withRandom(new SplittableRandom(seed))
                        .withRuntimeConfig(RuntimeConfig.parse(String.join(",",
                                RuntimeConfig.RESOURCE_METRICS, RuntimeConfig.CUSTOM_METRICS,
                                RuntimeConfig.EXTERNAL_METRICS))));
        this.api = new Api(server, NAMESPACE);
        this.history = new RunHistory(mix.disrupted(), clock);
        this.checks = new Checks(new Truth(new Contents(server.store()), NAMESPACE), history, mix);
        this.nodes = new SimulatedNodes(api, random, story, clock, mix.disrupted(),
                mix.hasLivingNodes() ? new Heartbeats(api, clock) : null);
        this.environment = new Environment(api, nodes, history, random, clock);
    }

    /**
     * Runs the simulation.
     * @param wanted the final state of the run without faults; null if this is that run
     * @return the final state
     * @throws AssertionError with the story, if an invariant was violated
     */
    String run(@Nullable String wanted) throws InterruptedException {
        try {
            api.create("namespace", "{\"metadata\": {\"name\": \"" + NAMESPACE + "\"}}");
            nodes.start(mix.workloads(), environment);
            newManager();
            for (Workload.Step step : mix.steps()) {
                if (step.waits()) {
                    quietMoment();
                }
                story.tell("the user " + step.sentence());
                step.act().perform(environment);
                untilSeen();
                turns(random.nextInt(rate > 0 ? 60 : 20));
                if (rate > 0 && random.nextInt(6) == 0) {
                    takeOver();
                }
            }
            if (mix.endsNamespace()) {
                story.tell("the user deletes the namespace");
                api.delete("namespace", NAMESPACE, "Background");
            }
            turns(random.nextInt(60));
            return converge(wanted);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + story.text() + "\nin the end\n"
                    + state(), e);
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
        history.newManager();
        if (standby != null) {
            manager = standby;
            faults = standbyFaults;
            story.tell(standbyFaults.manager() + " leads; it stood by");
            // Reads that begin at one time are in no order.
            clock.advance(Duration.ofNanos(1));
            manager.lead();
        } else {
            faults = newFaults(random);
            manager = newManager(faults, InformerOptions.builder().batch(1).seed(seed), false);
        }
        newStandby();
    }

    /** In every third run with faults, managers stand by, some with caches of several pages. */
    private void newStandby() {
        standby = null;
        standbyFaults = null;
        if (rate > 0 && seed % 3 == 0) {
            standbyFaults = newFaults(standbyRandom);
            standby = newManager(standbyFaults, InformerOptions.builder().batch(1).seed(seed)
                    .pageSize(standbyRandom.nextBoolean() ? 2 : 500), true);
        }
    }

    private Faults newFaults(Random choices) {
        return new Faults(choices, story, "manager " + ++managers, checks, mix.served(), rate);
    }

    private SteppedManager newManager(Faults between, InformerOptions.Builder options, boolean standsBy) {
        KubeClient client = new InterceptedClient(new InterceptedClient(server.client("wheelhouse"), between),
                defect.view(server));
        SteppedManager made = new SteppedManager(client, clock, mix.controllers().stream().map(this::planted).toList(),
                standsBy, process -> process.options(OPTIONS).caches(options.build()));
        between.of(made);
        return made;
    }

    private ControllerDescriptor planted(ControllerDescriptor right) {
        return new ControllerDescriptor(right.name(), right.aliases(), right.origin(), right.requires(),
                right.preparation(), right.plans(), right.isSharded(), right.isPrompt(),
                context -> right.factory().apply(defect.plant(server, context)));
    }

    private void stepStandby() throws InterruptedException {
        if (standby != null) {
            for (Loop loop : standby.loops()) {
                if (standbyRandom.nextInt(3) > 0) {
                    step(loop);
                }
            }
        }
    }

    private void takeOver() throws InterruptedException {
        endDeposed();
        deposed = manager;
        deposedFaults = faults;
        if (deposedFaults != null) {
            deposedFaults.freeze();
        }
        manager = null;
        story.tell((faults == null ? "the manager" : faults.manager()) + " loses the lead, and does not know");
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
        List<Loop> loops = new ArrayList<>(manager.loops());
        if (deposed != null && deposedFaults != null) {
            loops.addAll(deposed.loops());
        }
        Collections.shuffle(loops, random);
        boolean busy = stepAll(loops);
        stepStandby();
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

    /**
     * Steps each loop once.
     * @return whether any had work, or a step has made further loops
     */
    private boolean stepAll(List<Loop> loops) throws InterruptedException {
        nextDue = Loop.IDLE;
        boolean busy = false;
        int before = manager.loops().size();
        for (Loop loop : loops) {
            long wait = step(loop);
            busy |= wait == Loop.BUSY;
            nextDue = wait > 0 && !manager.isAtRest(loop) ? Math.min(nextDue, wait) : nextDue;
            if (deposedFaults != null) {
                history.allow(deposedFaults.createsSinceFrozen(), deposedFaults.deletesSinceFrozen());
            }
        }
        return busy || manager.loops().size() != before;
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
        return mix.workloads().stream().allMatch(w -> w.isSeen(api));
    }

    private String converge(@Nullable String wanted) throws InterruptedException {
        endDeposed();
        if (faults == null || faults.isCrashed()) {
            newManager();
        }
        story.tell("the faults end");
        faults.end();
        Duration quiet = mix.workloads().stream().map(Workload::quiet).max(Duration::compareTo).orElseThrow();
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
            if ((wanted != null ? now.equals(wanted) : now.equals(end) && waited.minus(changed).compareTo(quiet) > 0)
                    && manager.isRunning() && plan().isEmpty() && checks.atEnd().isEmpty()) {
                end = now;
                break;
            }
            changed = now.equals(end) ? changed : waited;
            end = now;
            if (waited.compareTo(LONGEST) > 0 && waited.compareTo(quiet.multipliedBy(MOST_QUIETS)) > 0) {
                break;
            }
            Duration hop = Duration.ofNanos(Math.max(1_000_000, Math.min(nextDue, 60_000_000_000L)));
            waited = waited.plus(hop);
            clock.advance(hop);
        }
        checks.atEnd().forEach(story::violation);
        throwViolations();
        if (wanted != null && !end.equals(wanted)) {
            throw new AssertionError("the run without faults ends with\n" + wanted + "\nand this one with\n" + end);
        }
        List<Action> left = plan();
        if (!left.isEmpty()) {
            throw new AssertionError(
                    "at quiescence there is still to do: " + left.stream().map(Simulation::brief).toList()
                            + " in the state\n" + end);
        }
        return end;
    }

    private static String brief(Action action) {
        return switch (action) {
            case Action.Write write -> write.verb() + " " + write.type() + " " + write.target() + " because "
                    + write.why();
            case Action.Batch batch -> batch.writes().stream().map(Simulation::brief).toList().toString();
            default -> action.toString();
        };
    }

    private List<Action> plan() {
        return manager == null
                ? List.of()
                : manager.plan(type -> api.list(type.kind()).stream()
                        .map(o -> new ObjectKey(type.namespaced() ? NAMESPACE : "", ObjectFields.name(o))).toList());
    }

    private boolean calmTurn() throws InterruptedException {
        throwViolations();
        return stepAll(manager.loops());
    }

    /** The final state, without names, versions and anything that depends on time. */
    private String state() {
        Map<String, String> lines = new TreeMap<>();
        JsonNode namespace = api.find("namespace", NAMESPACE);
        if (mix.endsNamespace()) {
            lines.put("the namespace",
                    namespace == null
                            ? "is gone"
                            : "is there, with " + mix.discovered().types().stream()
                                    .filter(ResourceType::namespaced).flatMap(t -> api.list(t.kind()).stream())
                                    .map(o -> o.path("kind").asString("") + " " + ObjectFields.name(o) + " kept by "
                                            + o.path("metadata").path("finalizers"))
                                    .toList());
        }
        for (Workload workload : mix.workloads()) {
            workload.state(api).forEach((what, state) -> lines.put(workload.name + " " + what, state));
        }
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
        if (standby != null) {
            standby.close();
        }
        server.close();
    }
}
