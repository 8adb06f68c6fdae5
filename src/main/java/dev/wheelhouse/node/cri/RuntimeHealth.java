package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.node.cri.proto.Cri.RuntimeCondition;
import dev.wheelhouse.runtime.Clock;

/** Whether the container runtime can run pods, in kubelet's words (upstream: {@code pkg/kubelet/runtime.go}). */
final class RuntimeHealth {
    /** A runtime that has answered may be silent for this time, so that its restart changes no Node. */
    static final Duration TOLERATED = Duration.ofSeconds(30);

    private final Clock clock;
    private List<RuntimeCondition> conditions = List.of();
    private String failure = "it has not been asked yet";
    private @Nullable Long answered;

    RuntimeHealth(Clock clock) {
        this.clock = clock;
    }

    synchronized void answered(List<RuntimeCondition> now) {
        conditions = now;
        answered = clock.nanoTime();
    }

    synchronized void failed(String why) {
        failure = why;
    }

    /** Why pods cannot run now; null if they can. */
    synchronized @Nullable String problem() {
        Long last = answered;
        if (last == null || clock.nanoTime() - last > TOLERATED.toNanos()) {
            return "container runtime is down: " + failure;
        }
        return conditions.stream().filter(each -> !each.getStatus() && List.of("RuntimeReady", "NetworkReady")
                .contains(each.getType())).findFirst()
                .map(each -> "container runtime " + (each.getType().equals("NetworkReady") ? "network " : "")
                        + "not ready: " + each.getType() + "=false reason:" + each.getReason() + " message:"
                        + each.getMessage())
                .orElse(null);
    }
}
