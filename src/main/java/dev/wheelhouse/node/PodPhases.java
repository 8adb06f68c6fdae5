package dev.wheelhouse.node;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.podconfig.PodSources;

/**
 * Computes a pod's phase from its spec and its containers' statuses (upstream: {@code getPhase} in
 * {@code kubelet_pods.go}).
 */
public final class PodPhases {
    static final String PENDING = "Pending";
    static final String RUNNING = "Running";
    static final String SUCCEEDED = "Succeeded";
    static final String FAILED = "Failed";
    private static final int SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

    private PodPhases() {}

    /** Whether a node never ends a pod to have more room. */
    public static boolean isCritical(V1Pod pod) {
        Integer priority = pod.getSpec().getPriority();
        return PodSources.isStatic(pod) || priority != null && priority >= SYSTEM_CRITICAL_PRIORITY;
    }

    static boolean isTerminal(@Nullable String phase) {
        return SUCCEEDED.equals(phase) || FAILED.equals(phase);
    }

    public static boolean isSidecar(V1Container initContainer) {
        return "Always".equals(initContainer.getRestartPolicy());
    }

    public static List<V1Container> initContainers(V1PodSpec spec) {
        return spec.getInitContainers() == null ? List.of() : spec.getInitContainers();
    }

    /** The init containers, then the main ones. */
    public static Stream<V1Container> containers(V1PodSpec spec) {
        return Stream.concat(initContainers(spec).stream(), spec.getContainers().stream());
    }

    /** The statuses of all containers, by container name. Names are unique within a pod. */
    static Map<String, V1ContainerStatus> byName(PodRuntimeStatus status) {
        return Stream.concat(status.initContainers().stream(), status.containers().stream())
                .collect(Collectors.toMap(V1ContainerStatus::getName, Function.identity(), (a, b) -> a));
    }

    /** The last end of a container: in its state, or in its last state if it is waiting; null if it never ended. */
    static @Nullable V1ContainerStateTerminated ended(V1ContainerStatus status) {
        V1ContainerState state = status.getState();
        if (state != null && state.getTerminated() != null) {
            return state.getTerminated();
        }
        boolean waiting = state != null && state.getWaiting() != null;
        return waiting && status.getLastState() != null ? status.getLastState().getTerminated() : null;
    }

    private static boolean running(V1ContainerStatus status) {
        return status.getState() != null && status.getState().getRunning() != null;
    }

    /** Whether a container has ever run. */
    static boolean hasBegun(V1ContainerStatus status) {
        return running(status) || ended(status) != null;
    }

    /**
     * The phase.
     *
     * @param stopped whether no container of the pod will run again, whatever its restart policy says
     */
    static String of(V1Pod pod, PodRuntimeStatus status, boolean stopped) {
        V1PodSpec spec = pod.getSpec();
        Map<String, V1ContainerStatus> statuses = byName(status);
        boolean begun = status.containers().stream().anyMatch(PodPhases::hasBegun);
        Initialization initialization = initialization(spec, statuses, begun);
        if (initialization == Initialization.FAILED) {
            return FAILED;
        }
        int waiting = 0;
        int running = 0;
        boolean restarting = false;
        boolean success = true;
        for (V1Container container : spec.getContainers()) {
            V1ContainerStatus s = statuses.get(container.getName());
            V1ContainerStateTerminated ended = s == null ? null : ended(s);
            if (s != null && running(s)) {
                running++;
            } else if (ended == null) {
                waiting++;
            } else {
                restarting |= RestartPolicies.restarts(spec.getRestartPolicy(), container, ended);
                success &= ended.getExitCode() == 0;
            }
        }
        for (V1Container init : initContainers(spec)) {
            V1ContainerStatus s = statuses.get(init.getName());
            running += s != null && isSidecar(init) && running(s) ? 1 : 0;
        }
        if (initialization == Initialization.UNDER_WAY || waiting > 0) {
            return PENDING;
        }
        if (running > 0) {
            return RUNNING;
        }
        boolean over = stopped && !PodSources.isStatic(pod);
        return restarting && !over ? RUNNING : success ? SUCCEEDED : FAILED;
    }

    private enum Initialization {
        UNDER_WAY, DONE, FAILED
    }

    /** @param begun whether a main container has run; after that, sidecars are not waited for */
    private static Initialization initialization(V1PodSpec spec, Map<String, V1ContainerStatus> statuses,
            boolean begun) {
        Initialization result = Initialization.DONE;
        for (V1Container init : initContainers(spec)) {
            V1ContainerStatus s = statuses.get(init.getName());
            V1ContainerStateTerminated ended = s == null ? null : ended(s);
            if (isSidecar(init)) {
                if (!begun && ended == null && (s == null || !Boolean.TRUE.equals(s.getStarted()))) {
                    result = Initialization.UNDER_WAY;
                }
            } else if (ended == null) {
                result = Initialization.UNDER_WAY;
            } else if (ended.getExitCode() != 0) {
                if (!RestartPolicies.restarts(spec.getRestartPolicy(), init, ended)) {
                    return Initialization.FAILED;
                }
                result = Initialization.UNDER_WAY;
            }
        }
        return result;
    }
}
