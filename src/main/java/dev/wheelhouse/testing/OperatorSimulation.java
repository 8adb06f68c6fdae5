package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Operators;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.SimulationReport.Finding;

/**
 * Runs an operator through a scenario again and again: first without faults, then with one fault at every place where
 * one can happen, such as a crash before each write ({@link SimulatedFault} lists them). The operator is correct if it
 * comes to rest in the same state in all runs. UIDs, versions, times, Events, and the addresses, ports and nodes that a
 * cluster chooses may differ. In addition a run finds an operator that blocks, that changes objects of the cache, or
 * whose writes differ between two equal runs.
 *
 * <p>Everything runs in this process on one thread at a time, by a clock of its own: minutes of the scenario take
 * milliseconds. The same scenario gives the same result. Each method but {@link #run} and {@link #explore} returns this
 * object. Not thread safe.
 */
public final class OperatorSimulation {
    private static final int SEEDS = 20;
    private static final int SLICES = 10;

    private final Supplier<? extends Operator<?>> operator;
    private final List<Class<? extends KubernetesObject>> crds = new ArrayList<>();
    private final List<String> manifests = new ArrayList<>();
    private final List<KubernetesObject> objects = new ArrayList<>();
    private final List<Scenario.Step> steps = new ArrayList<>();
    private final Set<String> ignored = new HashSet<>();
    private final Set<SimulatedFault> faults = EnumSet.allOf(SimulatedFault.class);
    private final Set<String> only = new HashSet<>();
    private boolean controllers;
    private int nodes;
    private int seeds = SEEDS;
    private int atOnce = 1;
    private @Nullable Duration within;
    private @Nullable Supplier<? extends Operator<?>> next;
    private Duration patience = Duration.ofMinutes(2);
    private Duration watchdog = Duration.ofSeconds(10);

    private OperatorSimulation(Supplier<? extends Operator<?>> operator) {
        this.operator = operator;
    }

    /**
     * A simulation of an operator.
     *
     * @param operator makes the operator of a new process, with empty memory; static fields are not emptied
     */
    public static OperatorSimulation of(Supplier<? extends Operator<?>> operator) {
        return new OperatorSimulation(operator);
    }

    /** Installs the CustomResourceDefinitions of classes with {@code @ResourceDefinition}. */
    @SafeVarargs
    public final OperatorSimulation crds(Class<? extends KubernetesObject>... types) {
        crds.addAll(List.of(types));
        return this;
    }

    /** Creates objects from YAML, such as CustomResourceDefinitions, before everything else. */
    public OperatorSimulation manifests(String... yaml) {
        manifests.addAll(List.of(yaml));
        return this;
    }

    /** The objects that exist before the operator starts. */
    public OperatorSimulation start(KubernetesObject... existing) {
        objects.addAll(List.of(existing));
        return this;
    }

    /**
     * Adds an action of a user, once the step before has had its time.
     *
     * @param sentence the action in words. The story puts "somebody" before it: {@code "scales the website"}
     * @param action runs on the thread of the simulation
     */
    public OperatorSimulation step(String sentence, Consumer<User> action) {
        steps.add(new Scenario.Step(sentence, action));
        return this;
    }

    /** Runs all built-in controllers, not only the garbage collector. Faults do not concern them. */
    public OperatorSimulation controllers() {
        controllers = true;
        return this;
    }

    /** Runs hollow nodes and a scheduler. Faults do not concern them. */
    public OperatorSimulation nodes(int count) {
        nodes = count;
        return this;
    }

    /**
     * Fields that may differ at the end and from run to run, such as {@code status.lastChecked}, or {@code
     * data.password} if the operator makes it by chance.
     */
    public OperatorSimulation ignoring(String... paths) {
        ignored.addAll(List.of(paths));
        return this;
    }

    /** Leaves kinds of faults out. */
    public OperatorSimulation without(SimulatedFault... kinds) {
        Arrays.asList(kinds).forEach(faults::remove);
        return this;
    }

    /**
     * Adds runs in which several faults of different kinds happen, at random places: as many runs as {@link #seeds}.
     *
     * @param count the faults in each of these runs, 2 or more
     */
    public OperatorSimulation faultsAtOnce(int count) {
        atOnce = count;
        return this;
    }

    /**
     * Begins no further run after this real time, such as 30 s while one writes the operator. The runs are then in a
     * random order, which is always the same, so that all kinds of faults and all parts of the scenario get their turn.
     * The report says how many runs are missing.
     */
    public OperatorSimulation within(Duration realTime) {
        within = realTime;
        return this;
    }

    /**
     * The operator's next version. It takes over in the middle of the scenario, before each write ({@code upgrade}),
     * and in all other runs at the end. All must lead to the same state.
     *
     * @param version as in {@link #of}
     */
    public OperatorSimulation upgradesTo(Supplier<? extends Operator<?>> version) {
        next = version;
        return this;
    }

    /** The number of random orders. The default is 20. */
    public OperatorSimulation seeds(int count) {
        seeds = count;
        return this;
    }

    /** The time that the operator has after each step, by the simulation's clock. The default is two minutes. */
    public OperatorSimulation patience(Duration time) {
        patience = time;
        return this;
    }

    /** The real time after which a reconciliation counts as one that blocks. The default is ten seconds. */
    public OperatorSimulation watchdog(Duration time) {
        watchdog = time;
        return this;
    }

    /** Repeats only these runs, named as in a finding: {@code "crash-before-write-3"}. The others are not made. */
    public OperatorSimulation only(String... points) {
        only.addAll(List.of(points));
        return this;
    }

    /**
     * Runs the simulation.
     *
     * @return the report of a simulation that found nothing
     * @throws AssertionError that tells the story of each different finding
     */
    @CanIgnoreReturnValue
    public SimulationReport run() {
        SimulationReport report = explore();
        if (!report.findings().isEmpty()) {
            throw new AssertionError(report.toString());
        }
        return report;
    }

    /** Runs the simulation, and returns what it found. */
    public SimulationReport explore() {
        try (QuietLogs quiet = new QuietLogs()) {
            return new Exploration().report();
        }
    }

    /**
     * Does the steps once, without faults, with the next version beside the operator: it sees the same states, decides,
     * and writes nothing. The {@link #patience} must be 30 s or longer.
     *
     * @return the writes that it would make after each step, such as {@code after somebody scales it, default/home:
     *     would apply deployments.apps default/home: spec.replicas: 2 becomes 3}; empty if both decide the same
     * @throws IllegalStateException without {@link #upgradesTo}
     */
    public List<String> differences() {
        Supplier<? extends Operator<?>> version = next;
        if (version == null) {
            throw new IllegalStateException("differences need the next version: add upgradesTo(…)");
        }
        try (QuietLogs quiet = new QuietLogs(); SimulatedRun run = new SimulatedRun(scenario(), List.of())) {
            return run.differences(Operators.descriptor(version.get()));
        }
    }

    private Scenario scenario() {
        List<ControllerDescriptor> cluster = BuiltInControllers.all().stream()
                .filter(c -> controllers || c.name().equals(TestServer.GARBAGE_COLLECTOR)).toList();
        Supplier<ControllerDescriptor> made = () -> Operators.descriptor(operator.get());
        Supplier<? extends Operator<?>> version = next;
        return new Scenario(made.get().name(), made,
                version == null ? null : () -> Operators.descriptor(version.get()), cluster, nodes, crds, manifests,
                objects, steps, ignored,
                patience);
    }

    /** The result of one run: a final state, or the rule that was broken. */
    private record Ended(SimulatedRun run, @Nullable FinalState state, @Nullable String broken, List<String> details) {}

    /** All runs of one simulation. */
    private final class Exploration {
        private final Scenario scenario = scenario();
        private final Map<String, Finding> findings = new LinkedHashMap<>();
        private final long began = Clock.system().nanoTime();
        private int runs;
        private int left;
        private boolean blocked;

        SimulationReport report() {
            Ended first = execute(List.of());
            FinalState wanted = first.state;
            if (wanted == null) {
                broken(first, List.of());
            } else if (isRepeatable(first, wanted)) {
                for (List<FaultPoint> faults : plan(first.run)) {
                    if (blocked || isLate()) {
                        left++;
                    } else {
                        judge(execute(faults), faults, wanted);
                    }
                }
            }
            return new SimulationReport(runs, left, first.run.writes().size(), List.copyOf(findings.values()));
        }

        private boolean isLate() {
            return within != null && Clock.system().nanoTime() - began > within.toNanos();
        }

        private void judge(Ended ended, List<FaultPoint> faults, FinalState wanted) {
            if (ended.state == null) {
                broken(ended, faults);
                return;
            }
            List<String> differences = ended.state.differencesFrom(wanted);
            if (!differences.isEmpty()) {
                found(scenario.operatorName() + " ends in another state after a fault", differences, faults, ended.run);
            }
        }

        private void broken(Ended ended, List<FaultPoint> faults) {
            found(scenario.operatorName() + ": " + ended.broken, ended.details, faults, ended.run);
        }

        private void found(String rule, List<String> details, List<FaultPoint> faults, SimulatedRun run) {
            List<String> points = faults.isEmpty() ? List.of() : List.of(name(faults));
            findings.merge(rule + (rule.endsWith("fault") ? details : ""),
                    new Finding(rule, details, points, run.story().text()), (known, more) -> {
                        List<String> all = new ArrayList<>(known.points());
                        all.addAll(more.points());
                        return new Finding(known.rule(), known.details(), all, known.story());
                    });
        }

        /** Whether a second run without faults does the same. */
        private boolean isRepeatable(Ended first, FinalState wanted) {
            Ended second = execute(List.of());
            List<String> one = first.run.writes();
            List<String> two = second.run.writes();
            for (int i = 0; i < Math.max(one.size(), two.size()); i++) {
                String before = i < one.size() ? one.get(i) : "nothing";
                String now = i < two.size() ? two.get(i) : "nothing";
                if (!before.equals(now)) {
                    found(scenario.operatorName() + " does not do the same in two equal runs: it depends on chance, on"
                            + " the system's time or on static memory",
                            List.of("write " + (i + 1) + " of the first run: " + before,
                                    "write " + (i + 1) + " of the second run: " + now),
                            List.of(), second.run);
                    break;
                }
            }
            return second.state != null && second.state.differencesFrom(wanted).isEmpty();
        }

        /** The faults of each run. */
        private List<List<FaultPoint>> plan(SimulatedRun reference) {
            List<FaultPoint> points = points(reference);
            Set<List<FaultPoint>> all = new LinkedHashSet<>(points.stream().map(List::of).toList());
            Random random = new Random(SEEDS);
            for (int seed = 0; atOnce > 1 && seed < seeds && !points.isEmpty(); seed++) {
                Map<SimulatedFault, FaultPoint> kinds = new EnumMap<>(SimulatedFault.class);
                for (int i = 0; i < atOnce; i++) {
                    FaultPoint any = points.get(random.nextInt(points.size()));
                    kinds.putIfAbsent(any.fault(), any);
                }
                all.add(List.copyOf(kinds.values()));
            }
            List<List<FaultPoint>> plan = new ArrayList<>(all);
            if (within != null) {
                Collections.shuffle(plan, random);
            }
            plan.removeIf(faults -> !only.isEmpty() && !only.contains(name(faults)));
            return plan;
        }

        private static String name(List<FaultPoint> faults) {
            return faults.stream().map(FaultPoint::toString).collect(Collectors.joining("+"));
        }

        private List<FaultPoint> points(SimulatedRun reference) {
            List<FaultPoint> points = new ArrayList<>();
            List<SimulatedRun.Created> children = List.copyOf(reference.created());
            for (SimulatedFault fault : faults) {
                if (fault == SimulatedFault.UPGRADE && next == null) {
                    continue;
                }
                switch (fault.at()) {
                    case WRITE -> add(points, fault, 1, reference.writes().size());
                    case EVENT -> add(points, fault, 1, reference.events());
                    case STEP -> add(points, fault, 0, reference.windows() - 1);
                    case SEED -> add(points, fault, 1, seeds);
                    case CHILD -> {
                        for (int i = 0; i < children.size(); i++) {
                            points.add(new FaultPoint(fault, i + 1, children.get(i)));
                        }
                    }
                }
            }
            return points;
        }

        private void add(List<FaultPoint> points, SimulatedFault fault, int from, int to) {
            for (int i = from; i <= to; i++) {
                points.add(new FaultPoint(fault, i));
            }
        }

        /** Runs the scenario on a thread of its own, which is given up if the operator blocks. */
        private Ended execute(List<FaultPoint> at) {
            runs++;
            SimulatedRun run = new SimulatedRun(scenario, at);
            Ended[] result = new Ended[1];
            Thread thread = Thread.ofPlatform().daemon().name("simulation").unstarted(() -> result[0] = end(run));
            thread.start();
            long progress = -1;
            int still = 0;
            try {
                while (!thread.join(watchdog.dividedBy(SLICES))) {
                    still = run.progress() == progress ? still + 1 : 0;
                    progress = run.progress();
                    if (still >= SLICES) {
                        return block(run, thread);
                    }
                }
            } catch (InterruptedException e) {
                run.abandon();
                thread.interrupt();
                Thread.currentThread().interrupt();
                throw new AssertionError("the simulation was interrupted", e);
            }
            return result[0];
        }

        private Ended end(SimulatedRun run) {
            try (run) {
                return new Ended(run, run.run(), null, List.of());
            } catch (Violation e) {
                return new Ended(run, null, e.getMessage(), List.of());
            } catch (RuntimeException | Error e) {
                return new Ended(run, null, "the scenario cannot go on: " + e, Arrays.stream(e.getStackTrace())
                        .limit(SLICES).map(StackTraceElement::toString).toList());
            }
        }

        private Ended block(SimulatedRun run, Thread thread) throws InterruptedException {
            blocked = true;
            List<String> stack = Arrays.stream(thread.getStackTrace()).map(StackTraceElement::toString)
                    .takeWhile(frame -> !frame.startsWith("dev.wheelhouse.controller.")).toList();
            String what = "the reconciliation of " + run.reconciling() + " blocks: it has not returned for "
                    + watchdog.toSeconds() + " s of real time; a reconciliation must not wait, but return"
                    + " Result.requeueAfter";
            run.abandon();
            thread.interrupt();
            thread.join(Duration.ofSeconds(1));
            return new Ended(run, null, what, stack);
        }
    }
}
