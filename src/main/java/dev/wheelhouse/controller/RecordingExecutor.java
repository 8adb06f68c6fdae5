package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.api.ObjectKey;

/**
 * Writes nothing and keeps what it was asked to do, for the plan of a controller that decides in several steps. It answers as if
 * every write had succeeded, with the object that was to be written. Belongs to one thread.
 */
public final class RecordingExecutor implements ActionExecutor {
    private final List<Action> recorded = new ArrayList<>();

    @Override
    public Outcome execute(ObjectKey owner, List<Action> actions) {
        recorded.addAll(actions);
        return PlanningExecutor.asIfDone(actions);
    }

    @Override
    public boolean writes() {
        return false;
    }

    /** All that was to be done, in order. */
    public List<Action> recorded() {
        return List.copyOf(recorded);
    }
}
