package dev.wheelhouse.node;

import java.util.concurrent.Executor;

import dev.wheelhouse.runtime.LoopRunner;

/**
 * Runs tasks that may block, mainly writes to the API server. After {@link #runOn}, each task has a virtual thread, so
 * that a hanging task delays no other. Before that, tasks run on the caller's thread, so that a node can be stepped by
 * hand. Thread safe.
 */
final class NodeTasks implements Executor {
    private volatile Executor executor = Runnable::run;

    /** @param name the name of the tasks' threads */
    void runOn(LoopRunner runner, String name) {
        executor = task -> runner.run(name, task);
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(task);
    }
}
