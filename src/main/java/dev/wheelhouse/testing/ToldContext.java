package dev.wheelhouse.testing;

import java.util.List;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ForwardingControllerContext;

/** Tells a simulated process when a reconciliation begins and ends. */
final class ToldContext extends ForwardingControllerContext {
    private final SimulatedProcess process;

    ToldContext(ControllerContext behind, SimulatedProcess process) {
        super(behind);
        this.process = process;
    }

    private record ToldExecutor(ActionExecutor behind, SimulatedProcess process) implements ActionExecutor {
        @Override
        public Outcome execute(ObjectKey owner, List<Action> actions) {
            return behind.execute(owner, actions);
        }

        @Override
        public void begin(ObjectKey owner) {
            process.begins(owner);
            behind.begin(owner);
        }

        @Override
        public void end(ObjectKey owner) {
            behind.end(owner);
            process.ends();
        }

        @Override
        public boolean writes() {
            return behind.writes();
        }
    }

    @Override
    public ActionExecutor executor(String controller) {
        return new ToldExecutor(super.executor(controller), process);
    }

    @Override
    public ActionExecutor executor(String controller, String eventSource) {
        return new ToldExecutor(super.executor(controller, eventSource), process);
    }
}
