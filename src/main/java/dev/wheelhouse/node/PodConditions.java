package dev.wheelhouse.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodReadinessGate;
import io.kubernetes.client.openapi.models.V1PodStatus;

/** Computes the conditions that a node reports about a pod (upstream: {@code pkg/kubelet/status/generate.go}). */
final class PodConditions {
    static final String READY_TO_START = "PodReadyToStartContainers";
    static final String INITIALIZED = "Initialized";
    static final String READY = "Ready";
    static final String CONTAINERS_READY = "ContainersReady";
    static final String SCHEDULED = "PodScheduled";
    static final String ALL_RESTARTING = "AllContainersRestarting";

    private PodConditions() {}

    /** Whether only the node writes a condition. */
    static boolean isOwn(String type) {
        return switch (type) {
            case READY_TO_START, INITIALIZED, READY, CONTAINERS_READY, SCHEDULED, ALL_RESTARTING -> true;
            default -> false;
        };
    }

    static @Nullable V1PodCondition find(@Nullable V1PodStatus status, String type) {
        if (status != null && status.getConditions() != null) {
            for (V1PodCondition condition : status.getConditions()) {
                if (type.equals(condition.getType())) {
                    return condition;
                }
            }
        }
        return null;
    }

    /**
     * All conditions: first those that others wrote, then the node's own.
     *
     * @param before the last reported status; a condition with unchanged status keeps its transition time
     */
    static List<V1PodCondition> of(V1Pod pod, PodRuntimeStatus runtime, String phase, @Nullable V1PodStatus before,
            Moment now) {
        Map<String, V1ContainerStatus> statuses = PodPhases.byName(runtime);
        V1PodCondition containersReady = containersReady(pod, statuses, phase);
        List<V1PodCondition> own = new ArrayList<>(List.of(
                condition(READY_TO_START, runtime.sandboxReady() && !PodPhases.isTerminal(phase)),
                initialized(pod, statuses, phase), ready(pod, containersReady), containersReady,
                condition(SCHEDULED, true)));
        List<V1Container> restarters = PodPhases.containers(pod.getSpec()).filter(RestartPolicies::mayRestartAll)
                .toList();
        if (!restarters.isEmpty()) {
            own.add(allRestarting(restarters, statuses, phase));
        }
        List<V1PodCondition> all = new ArrayList<>();
        if (pod.getStatus() != null && pod.getStatus().getConditions() != null) {
            pod.getStatus().getConditions().stream().filter(c -> !isOwn(c.getType())).forEach(all::add);
        }
        for (V1PodCondition condition : own) {
            V1PodCondition old = find(before, condition.getType());
            if (old == null) {
                old = find(pod.getStatus(), condition.getType());
            }
            boolean same = old != null && Objects.equals(old.getStatus(), condition.getStatus())
                    && old.getLastTransitionTime() != null;
            condition.lastTransitionTime(same && old != null ? old.getLastTransitionTime() : now.stamp());
            condition.observedGeneration(pod.getMetadata().getGeneration());
            all.add(condition);
        }
        return all;
    }

    private static V1PodCondition condition(String type, boolean status) {
        return new V1PodCondition().type(type).status(status ? "True" : "False");
    }

    private static V1PodCondition initialized(V1Pod pod, Map<String, V1ContainerStatus> statuses, String phase) {
        List<V1Container> inits = PodPhases.initContainers(pod.getSpec());
        if (phase.equals(PodPhases.SUCCEEDED)) {
            return condition(INITIALIZED, true).reason("PodCompleted");
        }
        boolean begun = pod.getSpec().getContainers().stream().map(c -> statuses.get(c.getName()))
                .anyMatch(s -> s != null && s.getContainerID() != null);
        if (begun) {
            return condition(INITIALIZED, true);
        }
        String message = unready(inits, statuses, "incomplete",
                (c, s) -> Boolean.TRUE.equals(PodPhases.isSidecar(c) ? s.getStarted() : s.getReady()));
        return message.isEmpty()
                ? condition(INITIALIZED, true)
                : condition(INITIALIZED, false).reason("ContainersNotInitialized").message(message);
    }

    private static V1PodCondition containersReady(V1Pod pod, Map<String, V1ContainerStatus> statuses, String phase) {
        if (phase.equals(PodPhases.SUCCEEDED)) {
            return condition(CONTAINERS_READY, false).reason("PodCompleted");
        }
        if (phase.equals(PodPhases.FAILED)) {
            return condition(CONTAINERS_READY, false).reason("PodFailed");
        }
        List<V1Container> containers = new ArrayList<>(PodPhases.initContainers(pod.getSpec()));
        containers.removeIf(c -> !PodPhases.isSidecar(c));
        containers.addAll(pod.getSpec().getContainers());
        String message = unready(containers, statuses, "unready", (c, s) -> Boolean.TRUE.equals(s.getReady()));
        return message.isEmpty()
                ? condition(CONTAINERS_READY, true)
                : condition(CONTAINERS_READY, false).reason("ContainersNotReady").message(message);
    }

    private static String unready(List<V1Container> containers, Map<String, V1ContainerStatus> statuses, String word,
            BiPredicate<V1Container, V1ContainerStatus> isReady) {
        List<String> unknown = new ArrayList<>();
        List<String> unready = new ArrayList<>();
        for (V1Container container : containers) {
            V1ContainerStatus status = statuses.get(container.getName());
            if (status == null) {
                unknown.add(container.getName());
            } else if (!isReady.test(container, status)) {
                unready.add(container.getName());
            }
        }
        List<String> messages = new ArrayList<>();
        if (!unknown.isEmpty()) {
            messages.add("containers with unknown status: [" + String.join(" ", unknown) + "]");
        }
        if (!unready.isEmpty()) {
            messages.add("containers with " + word + " status: [" + String.join(" ", unready) + "]");
        }
        return String.join(", ", messages);
    }

    /** @param restarters the containers whose end may restart all containers */
    private static V1PodCondition allRestarting(List<V1Container> restarters, Map<String, V1ContainerStatus> statuses,
            String phase) {
        if (PodPhases.isTerminal(phase)) {
            return condition(ALL_RESTARTING, false)
                    .reason(phase.equals(PodPhases.SUCCEEDED) ? "PodCompleted" : "PodFailed");
        }
        boolean restarting = restarters.stream().anyMatch(container -> {
            V1ContainerStatus status = statuses.get(container.getName());
            V1ContainerState state = status == null ? null : status.getState();
            return state != null && state.getTerminated() != null
                    && RestartPolicies.restartsAll(container, state.getTerminated().getExitCode());
        });
        return restarting
                ? condition(ALL_RESTARTING, true).reason("RestartAllContainersStarted")
                        .message("container exited with restart policy rule")
                : condition(ALL_RESTARTING, false);
    }

    private static V1PodCondition ready(V1Pod pod, V1PodCondition containersReady) {
        if (!"True".equals(containersReady.getStatus())) {
            return condition(READY, false).reason(containersReady.getReason()).message(containersReady.getMessage());
        }
        List<String> messages = new ArrayList<>();
        List<V1PodReadinessGate> gates = pod.getSpec().getReadinessGates();
        for (V1PodReadinessGate gate : gates == null ? List.<V1PodReadinessGate>of() : gates) {
            V1PodCondition condition = find(pod.getStatus(), gate.getConditionType());
            if (condition == null) {
                messages.add("corresponding condition of pod readiness gate \"" + gate.getConditionType()
                        + "\" does not exist.");
            } else if (!"True".equals(condition.getStatus())) {
                messages.add(
                        "the status of pod readiness gate \"" + gate.getConditionType() + "\" is not \"True\", but "
                                + condition.getStatus());
            }
        }
        return messages.isEmpty()
                ? condition(READY, true)
                : condition(READY, false).reason("ReadinessGatesNotReady").message(String.join(", ", messages));
    }
}
