package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.operator.Crds;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;

/**
 * One run of a scenario, with no, one or several faults. Each step of the scenario begins at its own time, which does
 * not depend on the faults. The next version of the operator, if there is one, takes over at the end, unless a fault
 * has brought it before.
 */
final class SimulatedRun implements AutoCloseable {
    /** How long a late watch is late. */
    private static final Duration LATE = Duration.ofSeconds(2);
    /** How long a process that lost the lead stands still. */
    private static final Duration STANDSTILL = Duration.ofSeconds(10);
    /**
     * How long a write takes. If it took no time, an operator with a stale cache could act without end before the cache
     * catches up.
     */
    private static final Duration WRITE = Duration.ofMillis(10);
    private static final Duration JUMP = Duration.ofHours(1);
    private static final int MOST_MOVES = 20_000;
    private static final int MOST_ROUNDS = 2_000;
    private static final long SEED = 1;

    private final Scenario scenario;
    private final List<FaultPoint> faults;
    /** The faults of writes and events that have not struck yet. */
    private final List<FaultPoint> ahead;
    private final ManualClock clock = new ManualClock();
    private final ApiServer server = new ApiServer(
            ApiServerOptions.defaults().withClock(clock).withRandom(new SplittableRandom(SEED)));
    private final User user = new User(server.client("user"));
    private final Story story = new Story(clock);
    private final Stepper stepper;
    private final List<String> writes = new ArrayList<>();
    private final Set<Created> created = new LinkedHashSet<>();
    private final Map<ResourceType, Long> lateUntil = new HashMap<>();
    private final long start = clock.nanoTime();
    // Made by the run, before its first step.
    @SuppressWarnings("NullAway.Init")
    private SimulatedProcess operator;
    private @Nullable SimulatedProcess deposed;
    private @Nullable AssertionError failure;
    private int processes;
    private int events;
    private int windows;
    private boolean upgraded;
    private volatile @Nullable ObjectKey reconciling;
    private volatile boolean abandoned;

    /** An object that the operator created. */
    record Created(ResourceType type, ObjectKey key) {}

    SimulatedRun(Scenario scenario, List<FaultPoint> faults) {
        this.scenario = scenario;
        this.faults = faults;
        ahead = new ArrayList<>(faults.stream().filter(each -> Set.of(SimulatedFault.At.WRITE, SimulatedFault.At.EVENT)
                .contains(each.fault().at())).toList());
        FaultPoint order = fault(SimulatedFault.ORDER);
        stepper = new Stepper(clock, server.store()::version, MOST_ROUNDS,
                order == null ? null : new Random(order.at()), order == null);
        stepper.addClosed(ControllerProcess.stepped(server.client("cluster"), clock, scenario.cluster(),
                scenario.nodes(), process -> process.caches(InformerOptions.builder().seed(SEED).build())));
    }

    private @Nullable FaultPoint fault(SimulatedFault kind) {
        return faults.stream().filter(each -> each.fault() == kind).findFirst().orElse(null);
    }

    /** Whether this fault happens in the window that is next. */
    private boolean isNow(SimulatedFault kind) {
        FaultPoint fault = fault(kind);
        return fault != null && fault.at() == windows;
    }

    /**
     * Runs the scenario to its end.
     * @throws Violation if the operator breaks a rule on the way
     */
    FinalState run() {
        begin();
        for (Scenario.Step step : scenario.steps()) {
            window(step);
        }
        if (scenario.next() != null) {
            if (!upgraded) {
                upgraded = true;
                turn("UPGRADE: the next version of " + operator + " takes over while nothing is left to do");
                replaceOperator();
            }
            window(null);
        }
        FaultPoint deleted = fault(SimulatedFault.DELETED_CHILD);
        window(deleted == null ? null : deletion(deleted.child()));
        List<FailingKey> failing = operator.failing();
        if (!failing.isEmpty()) {
            throw new Violation("the reconciliation of " + failing.getFirst().key() + " still fails at the end: "
                    + failing.getFirst().error());
        }
        created.removeIf(object -> !exists(object.type(), object.key()));
        return FinalState.of(server.client("truth"), scenario.ignored());
    }

    /**
     * Does the steps with the next version beside the operator, where it only observes.
     *
     * @return the differences after each step
     */
    List<String> differences(ControllerDescriptor next) {
        ControllerProcess beside = ControllerProcess.stepped(server.client("shadow"), clock, List.of(next), 0,
                process -> process.mode(ManagerGuard.Mode.OBSERVE)
                        .caches(InformerOptions.builder().seed(SEED).build()));
        stepper.add(beside);
        begin();
        List<String> found = new ArrayList<>();
        for (Scenario.Step step : scenario.steps()) {
            window(step);
            beside.manager().controllers().forEach(controller -> controller.differences()
                    .forEach(each -> found.add("after somebody " + step.sentence() + ", " + each)));
        }
        return found;
    }

    private void begin() {
        scenario.crds().forEach(crd -> user.create(Crds.of(crd)));
        scenario.manifests().forEach(user::create);
        stepper.settle();
        scenario.objects().forEach(object -> {
            user.create(ModelJson.copy(object));
            tell("at the start there is " + object.getClass().getSimpleName() + " " + object.getMetadata().getName());
        });
        operator = startOperator();
        window(null);
    }

    private Scenario.Step deletion(Created child) {
        return new Scenario.Step("deletes " + child.type().kind() + " " + child.key(), who -> {
            if (exists(child.type(), child.key())) {
                who.delete(child.type(), child.key());
            }
        });
    }

    /** Does a step, and everything that follows from it within the scenario's patience. */
    private void window(Scenario.@Nullable Step step) {
        if (isNow(SimulatedFault.CLOCK_FORWARD)) {
            turn("CLOCK: the wall clock jumps forward by an hour");
            clock.jump(JUMP);
        }
        if (isNow(SimulatedFault.CLOCK_BACK)) {
            turn("CLOCK: the wall clock jumps back by an hour");
            clock.jump(JUMP.negated());
        }
        if (step != null) {
            turn("somebody " + step.sentence());
            step.action().accept(user);
        }
        long end = start + (windows + 1) * scenario.patience().toNanos();
        long due = work();
        for (int moves = 0; clock.nanoTime() + due <= end && due != Loop.IDLE; moves++) {
            if (moves == MOST_MOVES) {
                throw new Violation(String.valueOf(stepper.endless().getMessage()));
            }
            clock.advance(Duration.ofNanos(due));
            due = work();
        }
        clock.advance(Duration.ofNanos(Math.max(0, end - clock.nanoTime())));
        if (isNow(SimulatedFault.RESTART)) {
            turn("RESTART: " + operator + " ends while nothing is left to do");
            replaceOperator();
            work();
        }
        windows++;
    }

    /** Does everything that can be done now. @return the nanoseconds until something is due */
    private long work() {
        while (true) {
            long due;
            try {
                due = stepper.settle();
                if (failure != null) {
                    throw failure;
                }
                operator.process().verifyCachesUnchanged();
            } catch (AssertionError e) {
                throw new Violation(String.valueOf(e.getMessage()));
            } catch (IllegalStateException e) {
                throw new Violation("the operator changed an object of the cache, which others read, too: "
                        + e.getMessage());
            }
            SimulatedProcess old = deposed;
            if (old != null) {
                tell(old + " ends");
                stepper.remove(old.process());
                deposed = null;
            } else if (operator.isCrashed()) {
                replaceOperator();
            } else {
                for (long until : lateUntil.values()) {
                    due = Math.min(due, Math.max(1, until - clock.nanoTime()));
                }
                return due;
            }
        }
    }

    private SimulatedProcess startOperator() {
        String name = scenario.operatorName() + (processes++ == 0 ? "" : " (process " + processes + ")");
        Supplier<ControllerDescriptor> next = scenario.next();
        SimulatedProcess made = new SimulatedProcess(this, name, server.client(scenario.operatorName()),
                (upgraded && next != null ? next : scenario.operator()).get(), SEED + processes, faults.isEmpty());
        stepper.add(made.process());
        tell(name + (upgraded ? ", of the next version," : "") + " starts with empty memory");
        return made;
    }

    private void replaceOperator() {
        stepper.remove(operator.process());
        operator = startOperator();
    }

    // ---- what the operator's processes call

    /** The next processes are of the next version. */
    void upgrade() {
        upgraded = true;
    }

    /** The fault that strikes this write; null for none. */
    @Nullable
    SimulatedFault strikes(WriteRequest request) {
        stepper.requested(request.toString());
        clock.advance(WRITE);
        if (isSettled()) {
            return null;
        }
        String payload = request.payload() instanceof String text ? text : ModelJson.write(request.payload());
        writes.add(request + " " + (payload.startsWith("{")
                ? FinalState.without(ModelJson.read(payload, JsonNode.class), scenario.ignored())
                : payload));
        return struckAt(SimulatedFault.At.WRITE, writes.size());
    }

    /** The fault that strikes this event of a watch; null for none. */
    @Nullable
    SimulatedFault strikesEvent() {
        return isSettled() ? null : struckAt(SimulatedFault.At.EVENT, ++events);
    }

    /** Whether all faults have struck, so that places need not be counted any more. */
    private boolean isSettled() {
        return !faults.isEmpty() && ahead.isEmpty();
    }

    private @Nullable SimulatedFault struckAt(SimulatedFault.At at, int number) {
        for (FaultPoint fault : ahead) {
            if (fault.fault().at() == at && fault.at() == number) {
                ahead.remove(fault);
                return fault.fault();
            }
        }
        return null;
    }

    /** Lets another process do everything that is to be done, while this one stands still. */
    void takeOver(SimulatedProcess old) {
        deposed = null;
        operator = startOperator();
        try {
            stepper.advance(STANDSTILL);
        } catch (AssertionError e) {
            // The failure is kept for the end of the run, because the old process would take an exception for an answer
            // of the server.
            failure = e;
        }
        deposed = old;
    }

    void late(ResourceType type) {
        lateUntil.put(type, clock.deadline(LATE));
    }

    boolean isLate(ResourceType type) {
        Long until = lateUntil.get(type);
        if (until != null && clock.nanoTime() - until >= 0) {
            lateUntil.remove(type);
            until = null;
        }
        return until != null;
    }

    void forgetVersions() {
        server.faults().compactNow();
    }

    boolean exists(ResourceType type, ObjectKey key) {
        return server.store().get(type.groupResource(), key.namespace(), key.name()) != null;
    }

    void created(ResourceType type, ObjectKey key) {
        // With the definition of a type, all its objects go, and the operator ends.
        if (!type.equals(ResourceType.CUSTOM_RESOURCE_DEFINITIONS)) {
            created.add(new Created(type, key));
        }
    }

    void tell(String sentence) {
        if (!abandoned) {
            story.tell(sentence);
        }
    }

    /** Tells a sentence that a long story must not lose. */
    void turn(String sentence) {
        if (!abandoned) {
            story.turn(sentence);
        }
    }

    void reconciling(@Nullable ObjectKey key) {
        reconciling = key;
    }

    // ---- what the run was like

    ManualClock clock() {
        return clock;
    }

    Story story() {
        return story;
    }

    /** The number of steps that loops have done so far. Any thread may ask. */
    long progress() {
        return stepper.steps();
    }

    /** The key that the operator reconciles at present. Any thread may ask. */
    @Nullable
    ObjectKey reconciling() {
        return reconciling;
    }

    void abandon() {
        abandoned = true;
        stepper.abandon();
    }

    List<String> writes() {
        return writes;
    }

    int events() {
        return events;
    }

    int windows() {
        return windows;
    }

    /** The objects that the operator created and that existed at the end. */
    Set<Created> created() {
        return created;
    }

    @Override
    public void close() {
        stepper.close();
        server.close();
    }
}
