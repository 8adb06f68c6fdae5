package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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
        return actions.stream().flatMap(action -> switch (action) {
            case Action.Write write -> Stream.of(write);
            case Action.Batch batch -> batch.writes().stream();
            default -> Stream.empty();
        }).toList();
    }

    private static Outcome asIfDone(List<Action> actions) {
        List<Attempt> attempts = writesOf(actions).stream().map(write -> new Attempt(write, answer(write), null, false))
                .toList();
        Duration requeueAfter = actions.stream().filter(Action.RequeueAfter.class::isInstance)
                .map(action -> ((Action.RequeueAfter) action).delay()).min(Comparator.naturalOrder()).orElse(null);
        return new Outcome(attempts, null, requeueAfter);
    }

    private static @Nullable KubernetesObject answer(Action.Write write) {
        return switch (write) {
            case Action.ObjectWrite whole -> whole.object();
            case Action.Apply apply -> ModelJson.read(apply.body(), apply.model());
            default -> null;
        };
    }
}
