package dev.wheelhouse.testing;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.SyncTrace;

/** Tells a simulated process when a reconciliation begins and ends. A simulated process counts nothing else. */
record ToldSyncs(SimulatedProcess process) implements ControllerMetrics, SyncTrace {
    @Override
    public SyncTrace begin(String controller, Object key) {
        process.begins((ObjectKey) key);
        return this;
    }

    @Override
    public void ended(String result, @Nullable Throwable error) {
        process.ends();
    }
}
