package dev.wheelhouse.testing;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.workqueue.RateLimits;
import dev.wheelhouse.workqueue.WorkQueue;

/** Forwards to another context, and tells a simulated process when a reconciliation begins and ends. */
final class ToldContext implements ControllerContext {
    private final ControllerContext behind;
    private final SimulatedProcess process;

    ToldContext(ControllerContext behind, SimulatedProcess process) {
        this.behind = behind;
        this.process = process;
    }

    private final class ToldExecutor implements ActionExecutor {
        private final ActionExecutor executor;

        ToldExecutor(ActionExecutor executor) {
            this.executor = executor;
        }

        @Override
        public Outcome execute(ObjectKey owner, List<Action> actions) {
            return executor.execute(owner, actions);
        }

        @Override
        public void begin(ObjectKey owner) {
            process.begins(owner);
            executor.begin(owner);
        }

        @Override
        public void end(ObjectKey owner) {
            executor.end(owner);
            process.ends();
        }

        @Override
        public boolean writes() {
            return executor.writes();
        }
    }

    @Override
    public KubeClient client() {
        return behind.client();
    }

    @Override
    public SharedInformerFactory informers() {
        return behind.informers();
    }

    @Override
    public Clock clock() {
        return behind.clock();
    }

    @Override
    public ActionExecutor executor(String controller) {
        return new ToldExecutor(behind.executor(controller));
    }

    @Override
    public ActionExecutor executor(String controller, String eventSource) {
        return new ToldExecutor(behind.executor(controller, eventSource));
    }

    @Override
    public <K> WorkQueue<K> queue(String name, RateLimits limits) {
        return behind.queue(name, limits);
    }

    @Override
    public int workers(String controller, @Nullable Integer preset) {
        return behind.workers(controller, preset);
    }

    @Override
    public boolean observes(String controller) {
        return behind.observes(controller);
    }

    @Override
    public boolean mayWrite(String controller) {
        return behind.mayWrite(controller);
    }

    @Override
    public ConsistencyStore consistency(String controller) {
        return behind.consistency(controller);
    }

    @Override
    public EventRecorder events(String component) {
        return behind.events(component);
    }

    @Override
    public ControllerMetrics metrics() {
        return behind.metrics();
    }
}
