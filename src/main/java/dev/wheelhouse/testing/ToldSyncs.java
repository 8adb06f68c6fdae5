package dev.wheelhouse.testing;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.SyncTrace;
import dev.wheelhouse.meters.Meters;

/** Tells a simulated process when a reconciliation begins and ends. A simulated process counts nothing else. */
final class ToldSyncs extends ControllerMetrics implements SyncTrace {
    private final SimulatedProcess process;

    ToldSyncs(SimulatedProcess process) {
        super(Meters.NONE);
        this.process = process;
    }

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
