package dev.wheelhouse.testing;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.ForwardingControllerContext;
import dev.wheelhouse.controller.SyncTrace;
import dev.wheelhouse.meters.Meters;

/** Tells a simulated process when a reconciliation begins and ends. A simulated process counts nothing else. */
final class ToldContext extends ForwardingControllerContext implements SyncTrace {
    private final SimulatedProcess process;
    private final ControllerMetrics metrics = new ControllerMetrics(Meters.NONE) {
        @Override
        public SyncTrace begin(String controller, Object key) {
            process.begins((ObjectKey) key);
            return ToldContext.this;
        }
    };

    ToldContext(ControllerContext behind, SimulatedProcess process) {
        super(behind);
        this.process = process;
    }

    @Override
    public ControllerMetrics metrics() {
        return metrics;
    }

    @Override
    public void ended(String result, @Nullable Throwable error) {
        process.ends();
    }
}
