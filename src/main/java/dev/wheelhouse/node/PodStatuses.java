package dev.wheelhouse.node;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStateWaiting;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1HostIP;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.podconfig.PodSources;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orNull;

/**
 * Computes a pod's status from its spec and the runtime's status (upstream: {@code generateAPIPodStatus} in
 * {@code kubelet_pods.go} and {@code TerminatePod} in {@code status_manager.go}). Pure functions.
 */
final class PodStatuses {
    private PodStatuses() {}

    /**
     * The status to report.
     *
     * @param runtime null if the runtime does not know the pod
     * @param before the last reported status; null if there is none
     * @param stopped whether no container will run again
     */
    static V1PodStatus of(V1Pod pod, @Nullable PodRuntimeStatus runtime, @Nullable V1PodStatus before, String hostIp,
            boolean stopped, Moment now) {
        PodRuntimeStatus known = runtime == null ? waiting(pod) : runtime;
        V1PodStatus old = before != null ? before : pod.getStatus() != null ? pod.getStatus() : new V1PodStatus();
        String phase = PodPhases.of(pod, known, stopped);
        String settled = settled(pod, old);
        if (settled != null) {
            phase = settled;
        }
        return assemble(pod, known, old, phase, hostIp, now);
    }

    /**
     * The status of a pod that has ended. A container whose end is unknown counts as failed. A main container that
     * still waited for init containers keeps its status.
     */
    static V1PodStatus ended(V1Pod pod, @Nullable PodRuntimeStatus runtime, @Nullable V1PodStatus before,
            String hostIp, Moment now) {
        PodRuntimeStatus known = runtime == null ? lastReported(pod, before) : runtime;
        boolean initialized = initialized(pod, known);
        PodRuntimeStatus ended = new PodRuntimeStatus(false, known.podIp(),
                lostUpToLastBegun(known.initContainers()),
                known.containers().stream().map(s -> initialized ? lost(s) : s).toList(),
                known.ephemeral().stream().map(PodStatuses::lost).toList());
        V1PodStatus old = before != null ? before : pod.getStatus() != null ? pod.getStatus() : new V1PodStatus();
        String phase = PodPhases.of(pod, known, true);
        String settled = settled(pod, old);
        if (settled != null) {
            phase = settled;
        } else if (!PodPhases.isTerminal(phase) && !PodSources.isStatic(pod)) {
            phase = PodPhases.FAILED;
        }
        return assemble(pod, ended, old, phase, hostIp, now);
    }

    /**
     * The status that the API server gets. A pod never leaves a terminal phase. It enters one when none of its
     * containers can run any more, because others then use its resources again. Until then phase, reason and message
     * stay as they are (upstream: {@code mergePodStatus} in {@code status_manager.go}).
     *
     * @param there the status that the API server has
     * @param stopped whether no container will run again
     */
    static V1PodStatus shown(V1PodStatus status, @Nullable V1PodStatus there, boolean stopped) {
        V1PodStatus old = there == null ? new V1PodStatus() : there;
        boolean changes = !Objects.equals(old.getPhase(), status.getPhase());
        boolean early = PodPhases.isTerminal(status.getPhase()) && !stopped;
        return changes && (early || PodPhases.isTerminal(old.getPhase()))
                ? ModelJson.shallowCopy(status).phase(old.getPhase()).reason(old.getReason()).message(old.getMessage())
                : status;
    }

    /** The terminal phase that was reported already, because a pod never leaves it; null if there is none. */
    private static @Nullable String settled(V1Pod pod, V1PodStatus before) {
        if (PodPhases.isTerminal(before.getPhase())) {
            return before.getPhase();
        }
        return pod.getStatus() != null && PodPhases.isTerminal(pod.getStatus().getPhase())
                ? pod.getStatus().getPhase()
                : null;
    }

    private static PodRuntimeStatus lastReported(V1Pod pod, @Nullable V1PodStatus before) {
        V1PodStatus last = before != null ? before : pod.getStatus();
        if (last == null || last.getContainerStatuses() == null) {
            return waiting(pod);
        }
        return new PodRuntimeStatus(false, last.getPodIP() == null ? "" : last.getPodIP(),
                orEmpty(last.getInitContainerStatuses()),
                last.getContainerStatuses(), orEmpty(last.getEphemeralContainerStatuses()));
    }

    /** Whether the main containers were allowed to run: one has run, or no init container is left. */
    private static boolean initialized(V1Pod pod, PodRuntimeStatus status) {
        List<V1ContainerStatus> inits = status.initContainers();
        V1ContainerStateTerminated last = inits.isEmpty() ? null : PodPhases.ended(inits.getLast());
        return inits.isEmpty() || status.containers().stream().anyMatch(PodPhases::hasBegun)
                || (PodPhases.isSidecar(PodPhases.initContainers(pod.getSpec()).getLast())
                        ? Boolean.TRUE.equals(inits.getLast().getStarted())
                        : last != null && last.getExitCode() == 0);
    }

    /**
     * Counts init containers that still wait as ended without a known exit, up to the last one that has begun: they
     * start in order, so the first one and all before a begun one cannot still wait.
     */
    private static List<V1ContainerStatus> lostUpToLastBegun(List<V1ContainerStatus> inits) {
        int begun = Math.min(1, inits.size());
        for (int i = 0; i < inits.size(); i++) {
            begun = PodPhases.hasBegun(inits.get(i)) ? i + 1 : begun;
        }
        return Stream.concat(inits.subList(0, begun).stream().map(PodStatuses::lost),
                inits.subList(begun, inits.size()).stream()).toList();
    }

    private static V1ContainerStatus lost(V1ContainerStatus status) {
        if (status.getState() != null && status.getState().getTerminated() != null) {
            return status;
        }
        return new V1ContainerStatus().name(status.getName()).image(status.getImage()).imageID(status.getImageID())
                .containerID(status.getContainerID()).ready(false).started(false)
                .restartCount(status.getRestartCount()).lastState(status.getLastState())
                .state(new V1ContainerState().terminated(new V1ContainerStateTerminated().exitCode(137)
                        .reason("ContainerStatusUnknown")
                        .message("The container could not be located when the pod was terminated")));
    }

    private static V1PodStatus assemble(V1Pod pod, PodRuntimeStatus runtime, V1PodStatus old, String phase,
            String hostIp, Moment now) {
        V1PodStatus status = new V1PodStatus().phase(phase).observedGeneration(pod.getMetadata().getGeneration())
                .hostIP(hostIp).addHostIPsItem(new V1HostIP().ip(hostIp))
                .startTime(old.getStartTime() == null ? now.stamp() : old.getStartTime())
                .qosClass(old.getQosClass())
                .conditions(PodConditions.of(pod, runtime, phase, old, now))
                .containerStatuses(runtime.containers())
                .initContainerStatuses(orNull(runtime.initContainers()))
                .ephemeralContainerStatuses(orNull(runtime.ephemeral()));
        V1PodStatus told = phase.equals(old.getPhase()) ? old : pod.getStatus();
        if (told != null && phase.equals(told.getPhase())) {
            status.reason(told.getReason()).message(told.getMessage());
        }
        boolean hostNetwork = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
        String ip = hostNetwork ? hostIp : runtime.podIp().isEmpty() ? old.getPodIP() : runtime.podIp();
        if (ip != null) {
            status.podIP(ip).addPodIPsItem(new V1PodIP().ip(ip));
        }
        return status;
    }

    /** The runtime status of a pod that the runtime does not know yet. */
    private static PodRuntimeStatus waiting(V1Pod pod) {
        List<V1Container> inits = PodPhases.initContainers(pod.getSpec());
        String reason = inits.isEmpty() ? "ContainerCreating" : "PodInitializing";
        return new PodRuntimeStatus(false, "", inits.stream().map(c -> waiting(c, "PodInitializing")).toList(),
                pod.getSpec().getContainers().stream().map(c -> waiting(c, reason)).toList(), List.of());
    }

    private static V1ContainerStatus waiting(V1Container container, String reason) {
        return new V1ContainerStatus().name(container.getName()).image(container.getImage()).imageID("").ready(false)
                .started(false).restartCount(0).lastState(new V1ContainerState())
                .state(new V1ContainerState().waiting(new V1ContainerStateWaiting().reason(reason)));
    }
}
