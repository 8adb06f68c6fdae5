package dev.wheelhouse.spring;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.kubernetes.client.openapi.models.V1ContainerState;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodStorage;
import dev.wheelhouse.podconfig.SourceReport;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Shows under {@code /actuator/podsources}, for each node, the pods of each source with their states, the source's last
 * message, and the refused manifests (upstream: kubelet's {@code /pods}).
 */
@Endpoint(id = "podsources")
record PodSourcesEndpoint(HollowCluster cluster) {
    /** @param allSeen whether each source has sent a full set; pods are cleaned up only then */
    record Node(String node, boolean allSeen, List<Source> sources) {}

    /**
     * @param from the path or URL that the source reads; null for the API server
     * @param lastRead the time of the last successful read
     * @param failure why the last read failed; null after a success
     * @param seen whether the source has sent a full set
     * @param lastMessage the time of the source's last message
     * @param rejected the pods of the last message that were left out, each with the reason
     * @param refusals the last refusals of manifests, newest first
     */
    record Source(String source, @Nullable String from, @Nullable Instant lastRead, @Nullable String failure,
            boolean seen, @Nullable Instant lastMessage, List<Pod> pods, List<String> rejected,
            List<Refusal> refusals) {}

    /**
     * @param phase as the node sees it, like all that follows; null for a mirror pod
     * @param ip the pod's address; null if it has none
     */
    record Pod(String namespace, String name, String uid, @Nullable String mirrorOf, @Nullable String phase,
            @Nullable String ip, List<Container> containers) {}

    /** @param state {@code running}, or the reason why it is not */
    record Container(String name, String state, boolean ready, int restarts) {}

    /**
     * @param current whether the manifest is still refused
     * @param problem may quote the manifest, so only authorized viewers get it; null for others
     */
    record Refusal(Instant at, boolean current, String location, int line, String field, @Nullable String problem) {}

    /** All nodes. */
    @ReadOperation
    public Map<String, List<Node>> nodes(SecurityContext viewer) {
        return Map.of("nodes", cluster.nodes().stream().map(node -> describe(node, viewer)).toList());
    }

    /** One node; null, which becomes the status 404, if there is no node of the name. */
    @ReadOperation
    public @Nullable Node node(SecurityContext viewer, @Selector String node) {
        return cluster.nodes().stream().filter(n -> n.name().equals(node)).findFirst()
                .map(found -> describe(found, viewer)).orElse(null);
    }

    private static Node describe(NodeAgent agent, SecurityContext viewer) {
        boolean contents = viewer.getPrincipal() != null;
        Map<String, PodStorage.SourceState> states = agent.podConfig().storage().states().stream()
                .collect(Collectors.toMap(PodStorage.SourceState::source, Function.identity()));
        List<SourceReport> reports = agent.sources();
        boolean allSeen = reports.stream().map(r -> states.get(r.source())).allMatch(s -> s != null && s.seen());
        return new Node(agent.name(), allSeen,
                reports.stream().map(r -> describe(agent, r, states.get(r.source()), contents)).toList());
    }

    private static Source describe(NodeAgent agent, SourceReport report, PodStorage.@Nullable SourceState state,
            boolean contents) {
        List<Refusal> refusals = report.refusals().stream().map(r -> new Refusal(r.at(), r.current(),
                r.refusal().location(), r.refusal().line(), r.refusal().field(),
                contents ? r.refusal().problem() : null)).toList();
        return new Source(report.source(), blankToNull(report.from()), report.lastRead(),
                blankToNull(report.failure()), state != null && state.seen(),
                state == null ? null : state.lastMessage(),
                state == null ? List.of() : state.pods().stream().map(pod -> describe(pod, agent)).toList(),
                state == null
                        ? List.of()
                        : state.rejected().stream().map(r -> PodSources.describe(r.pod()) + ": " + r.why()).toList(),
                refusals);
    }

    private static Pod describe(V1Pod pod, NodeAgent agent) {
        String uid = String.valueOf(pod.getMetadata().getUid());
        V1PodStatus status = Objects.requireNonNullElseGet(agent.status(uid), V1PodStatus::new);
        return new Pod(String.valueOf(pod.getMetadata().getNamespace()), String.valueOf(pod.getMetadata().getName()),
                uid, PodSources.annotation(pod, PodSources.MIRROR_ANNOTATION), status.getPhase(), status.getPodIP(),
                Stream.of(orEmpty(status.getInitContainerStatuses()), orEmpty(status.getContainerStatuses()))
                        .flatMap(List::stream).map(each -> new Container(each.getName(), state(each.getState()),
                                Boolean.TRUE.equals(each.getReady()), each.getRestartCount()))
                        .toList());
    }

    private static String state(@Nullable V1ContainerState state) {
        if (state == null || state.getRunning() != null) {
            return "running";
        }
        return String.valueOf(state.getTerminated() != null
                ? state.getTerminated().getReason()
                : state.getWaiting() == null ? "" : state.getWaiting().getReason());
    }

    private static @Nullable String blankToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
