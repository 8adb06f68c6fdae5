package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.ModelJson;

/**
 * An executor that writes nothing. It counts and logs the planned writes, once for each change of an owner's plan. It
 * returns a success for every write, with the object to be written. Thread safe.
 */
final class PlanningExecutor implements ActionExecutor {
    private final String controller;
    private final ControllerMetrics metrics;
    private final DecisionLog decisions;
    private final Map<ObjectKey, List<Action.Write>> plans = new ConcurrentHashMap<>();
    private final Map<ObjectKey, List<Action.Write>> underway = new ConcurrentHashMap<>();

    PlanningExecutor(String controller, ControllerMetrics metrics) {
        this.controller = controller;
        this.metrics = metrics;
        this.decisions = new DecisionLog(controller);
    }

    @Override
    public boolean writes() {
        return false;
    }

    @Override
    public void begin(ObjectKey owner) {
        underway.put(owner, new ArrayList<>());
    }

    @Override
    public void end(ObjectKey owner) {
        List<Action.Write> writes = underway.remove(owner);
        if (writes != null) {
            remember(owner, writes);
        }
    }

    @Override
    public void forget(ObjectKey owner) {
        plans.remove(owner);
    }

    /** The writes that an owner's last sync planned; empty if there are none. */
    List<Action.Write> plan(ObjectKey owner) {
        return plans.getOrDefault(owner, List.of());
    }

    @Override
    public Outcome execute(ObjectKey owner, List<Action> actions) {
        List<Action.Write> writes = writesOf(actions);
        List<Action.Write> sync = underway.get(owner);
        if (sync == null) {
            remember(owner, writes);
        } else {
            sync.addAll(writes);
        }
        return asIfDone(actions);
    }

    private static List<Action.Write> writesOf(List<Action> actions) {
        List<Action.Write> writes = new ArrayList<>();
        for (Action action : actions) {
            switch (action) {
                case Action.Write write -> writes.add(write);
                case Action.Batch batch -> writes.addAll(batch.writes());
                default -> {
                    // The other actions write nothing.
                }
            }
        }
        return writes;
    }

    /** The outcome of successful writes; the returned objects are those to be written. */
    static Outcome asIfDone(List<Action> actions) {
        List<Attempt> attempts = new ArrayList<>();
        List<KubernetesObject> answers = new ArrayList<>();
        for (Action.Write write : writesOf(actions)) {
            KubernetesObject answer = answer(write);
            attempts.add(new Attempt(write, answer, null, false));
            if (answer != null) {
                answers.add(answer);
            }
        }
        Duration requeueAfter = actions.stream().filter(Action.RequeueAfter.class::isInstance)
                .map(action -> ((Action.RequeueAfter) action).delay()).min(Comparator.naturalOrder()).orElse(null);
        return new Outcome(answers, null, null, 0, attempts, requeueAfter);
    }

    private void remember(ObjectKey owner, List<Action.Write> writes) {
        List<Action.Write> before = writes.isEmpty() ? plans.remove(owner) : plans.put(owner, List.copyOf(writes));
        if (!summary(writes).equals(summary(before == null ? List.of() : before))) {
            decisions.logPlanned(writes);
            writes.forEach(write -> metrics.planned(controller, write.verb(), write.type()));
        }
    }

    private static List<String> summary(List<Action.Write> writes) {
        return writes.stream().map(w -> w.verb() + w.type() + w.target() + w.why()).toList();
    }

    private static @Nullable KubernetesObject answer(Action.Write write) {
        return switch (write) {
            case Action.Create create -> create.object();
            case Action.Update update -> update.object();
            case Action.UpdateStatus update -> update.object();
            case Action.UpdateSubresource update -> update.object();
            case Action.Apply apply -> ModelJson.read(apply.body(), apply.model());
            case Action.Patch patch -> null;
            case Action.CreateSubresource create -> null;
            case Action.DeleteCollection delete -> null;
            case Action.Delete delete -> null;
        };
    }
}
