package dev.wheelhouse.node;

import java.util.concurrent.Executor;

import dev.wheelhouse.runtime.LoopRunner;

/**
 * Where a node does what may block, a write to the API server above all: on a virtual thread for each task once a runner is
 * given, so that one that hangs delays no other; until then at once, on the caller's thread, so that a node can be stepped.
 * Thread safe.
 */
final class NodeTasks implements Executor {
    private volatile Executor executor = Runnable::run;

    /** @param name of the tasks' threads */
    void runOn(LoopRunner runner, String name) {
        executor = task -> runner.run(name, task);
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }
}
