package dev.wheelhouse.simulation;

import java.util.Random;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.ManualClock;

/**
 * The world outside of the controllers, in which users and nodes act.
 *
 * @param random determines what nodes and users choose at the moment; runs with and without faults choose differently
 */
record Environment(Api api, SimulatedNodes nodes, RunHistory history, Random random, ManualClock clock) {
    /**
     * A change of a pod's status by its node.
     *
     * @param word what the pod is afterwards, for the story
     * @param exitCode the exit code of each container; null if they run, or if the status does not tell
     * @param reason the reason of the pod's phase; empty for none
     */
    record PodChange(String word, String phase, boolean ready, @Nullable Integer exitCode, String reason) {
        static final PodChange READY = new PodChange("ready", "Running", true, null, "");
        static final PodChange UNREADY = new PodChange("not ready", "Running", false, null, "");
        static final PodChange EVICTED = new PodChange("evicted", "Failed", false, null, "Evicted");
        static final PodChange SUCCEEDED = new PodChange("done", "Succeeded", false, 0, "");

        static PodChange failed(int exitCode) {
            return new PodChange("failed with exit code " + exitCode, "Failed", false, exitCode, "");
        }
    }
}
