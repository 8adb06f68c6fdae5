package dev.wheelhouse.node.cri;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxState;

/**
 * The sandboxes and containers that the runtime has of one pod.
 *
 * @param sandboxes the newest first
 * @param ip the address of the newest sandbox; empty if it is not ready, or has the host's network
 * @param runs the runs that began, by container, the newest first
 * @param unstarted the IDs of containers that were made but never started
 */
record Observed(List<PodSandbox> sandboxes, String ip, Map<String, List<Run>> runs, List<String> unstarted) {
    static final Observed NOTHING = new Observed(List.of(), "", Map.of(), List.of());

    /** The sandbox in which containers can run; null if there is none. */
    @Nullable
    PodSandbox ready() {
        return sandboxes.isEmpty() || sandboxes.get(0).getState() != PodSandboxState.SANDBOX_READY
                ? null
                : sandboxes.get(0);
    }

    List<Run> of(String container) {
        return runs.getOrDefault(container, List.of());
    }

    /** The last run of a container; null if it has never run. */
    @Nullable
    Run last(@Nullable String container) {
        List<Run> all = container == null ? List.of() : of(container);
        return all.isEmpty() ? null : all.get(0);
    }

    /** Whether a run is not of an older sandbox than the one that is ready. */
    boolean isCurrent(Run run) {
        PodSandbox ready = ready();
        return ready == null || run.sandbox().equals(ready.getId());
    }

    boolean isEmpty() {
        return sandboxes.isEmpty() && runs.isEmpty() && unstarted.isEmpty();
    }

    boolean anyRunning() {
        return runs.values().stream().anyMatch(all -> all.get(0).isRunning());
    }
}
