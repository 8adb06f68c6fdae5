package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;

/** A run that records its actions and has no effect. Not thread safe. */
final class RecordingRun implements SyncRun {
    private final boolean observes;
    private final List<Action> recorded = new ArrayList<>();

    /** @param observes whether it is a sync of a controller that observes, and not a plan */
    RecordingRun(boolean observes) {
        this.observes = observes;
    }

    @Override
    public Outcome execute(List<Action> actions) {
        recorded.addAll(actions);
        return asIfDone(actions);
    }

    @Override
    public void effect(Runnable effect) {}

    @Override
    public void note(Runnable memory) {
        if (observes) {
            memory.run();
        }
    }

    @Override
    public void count(Measure measure, double value, String... labels) {}

    @Override
    public void forget() {}

    @Override
    public boolean writes() {
        return false;
    }

    /** The recorded actions, in order. */
    List<Action> recorded() {
        return List.copyOf(recorded);
    }

    /** The recorded writes, in order. */
    List<Action.Write> recordedWrites() {
        return writesOf(recorded);
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

    private static Outcome asIfDone(List<Action> actions) {
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
