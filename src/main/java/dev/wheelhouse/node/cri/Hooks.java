package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;

import dev.wheelhouse.runtime.OneLine;

/** Runs the hooks of containers (upstream: {@code pkg/kubelet/lifecycle/handlers.go}). Thread safe. */
record Hooks(Prober prober) {
    private static final int LONGEST_MESSAGE = 1_000;

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
        if (hook.getHttpGet() != null) {
            try {
                // As for kubelet, any answer is a success.
                prober.get(hook.getHttpGet(), container, address, timeout, "kube-lifecycle/1.36");
                return null;
            } catch (IOException | IllegalArgumentException e) {
                return OneLine.of(String.valueOf(e.getMessage()), LONGEST_MESSAGE);
            }
        }
        List<String> command = hook.getExec() == null ? null : hook.getExec().getCommand();
        return command == null ? null : prober.exec(id, command, timeout, interruption::begun);
    }
}
