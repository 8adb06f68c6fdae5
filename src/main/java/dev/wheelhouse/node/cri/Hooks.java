package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;

/** Runs the hooks of containers (upstream: {@code pkg/kubelet/lifecycle/handlers.go}). Thread safe. */
record Hooks(Prober prober) {
    /**
     * Runs a hook.
     *
     * @param address the pod's address
     * @return null if it succeeds, else why not
     */
    @Nullable
    String run(V1LifecycleHandler hook, V1Container container, String id, String address, Duration timeout,
            Interruption interruption) {
        if (hook.getSleep() != null) {
            Duration time = Duration.ofSeconds(Math.clamp(hook.getSleep().getSeconds(), 0, Integer.MAX_VALUE));
            interruption.sleep(time.compareTo(timeout) < 0 ? time : timeout);
            return null;
        }
        List<String> command = hook.getExec() == null ? null : hook.getExec().getCommand();
        return command == null ? null : prober.exec(id, command, timeout, interruption::begun);
    }
}
