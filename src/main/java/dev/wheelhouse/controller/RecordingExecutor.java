package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.api.ObjectKey;

/**
 * An executor that writes nothing and records the actions, for the plan of a controller that decides in several steps.
 * It returns a success for every write, with the object to be written. Not thread safe.
 */
public final class RecordingExecutor implements ActionExecutor {
    private final List<Action> recorded = new ArrayList<>();

    @Override
    public Outcome execute(ObjectKey owner, List<Action> actions) {
        recorded.addAll(actions);
        return PlanningExecutor.asIfDone(actions);
    }

    @Override
    public void begin(ObjectKey owner) {}

    @Override
    public void end(ObjectKey owner) {}

    @Override
    public boolean writes() {
        return false;
    }

    /** The recorded actions, in order. */
    public List<Action> recorded() {
        return List.copyOf(recorded);
    }
}
