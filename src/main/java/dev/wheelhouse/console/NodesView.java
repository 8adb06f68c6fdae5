package dev.wheelhouse.console;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.health.Assessment;
import dev.wheelhouse.health.Health;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.podconfig.PodStorage;
import dev.wheelhouse.podconfig.SourceReport;

/** The nodes of the cluster, and the pod sources of those that run in this process. Thread safe. */
record NodesView(Parts parts, CachedObjects objects) {
    /** The most pods of a source that are shown by name. */
    private static final int MOST_PODS = 40;

    /** @param count the number of all nodes whose names contain the text that was asked for */
    record Page(int count, int notReady, int offset, List<Row> nodes) {}

    /** @param pods the number of pods that are bound to the node; null if no cache has the pods */
    record Row(String name, Health state, @Nullable Integer pods, List<Source> sources) {}

    /**
     * @param from the path or URL; empty for the API server
     * @param lastRead milliseconds since 1970; null if it is not known
     * @param failure why the last read failed; empty after a success
     * @param seen whether the source has sent a full set
     */
    record Source(String name, String from, @Nullable Long lastRead, String failure, boolean seen, int pods,
            List<StaticPod> staticPods, List<Refusal> refusals) {}

    /** @param mirror whether the API server has the pod's mirror */
    record StaticPod(String name, boolean mirror) {}

    record Refusal(long at, boolean current, String where, String problem) {}

    Page page(String text, int offset, int limit, Viewer viewer) {
        Map<String, NodeAgent> agents = new HashMap<>();
        parts.nodes().get().forEach(agent -> agents.put(agent.name(), agent));
        Map<String, Health> states = new TreeMap<>();
        Assessment health = parts.health().now();
        agents.forEach((name, agent) -> states.put(name, agent.isReady()
                ? new Health(Health.Level.HEALTHY, "ready", "", null)
                : new Health(Health.Level.PROGRESSING, "not registered", "", null)));
        if (viewer.may("list", ResourceType.NODES, "")) {
            for (KubernetesObject node : objects.list(ResourceType.NODES, "")) {
                states.put(ObjectKey.of(node).name(), Objects.requireNonNullElseGet(
                        health.of(ResourceType.NODES, ObjectKey.of(node)), () -> Health.of(node)));
            }
        }
        List<String> names = states.keySet().stream().filter(name -> name.contains(text)).toList();
        List<Row> rows = new ArrayList<>();
        boolean mayListPods = viewer.may("list", ResourceType.PODS, "");
        Map<String, Integer> pods = mayListPods && objects.type(ResourceType.PODS.groupResource()) != null
                ? objects.podsByNode()
                : null;
        for (String name : names.subList(Math.min(offset, names.size()), Math.min(offset + limit, names.size()))) {
            NodeAgent agent = agents.get(name);
            rows.add(new Row(name, Objects.requireNonNull(states.get(name)),
                    pods == null ? null : pods.getOrDefault(name, 0),
                    agent == null ? List.of() : sources(agent, mayListPods)));
        }
        int notReady = (int) states.entrySet().stream().filter(entry -> entry.getKey().contains(text)
                && !entry.getValue().isWell()).count();
        return new Page(names.size(), notReady, offset, rows);
    }

    private List<Source> sources(NodeAgent agent, boolean mayListPods) {
        Map<String, PodStorage.SourceState> states = new HashMap<>();
        agent.podConfig().storage().states().forEach(state -> states.put(state.source(), state));
        return agent.sources().stream()
                .map(report -> source(report, states.get(report.source()), mayListPods)).toList();
    }

    private Source source(SourceReport report, PodStorage.@Nullable SourceState state, boolean mayListPods) {
        List<V1Pod> pods = state == null ? List.of() : List.copyOf(state.pods());
        List<StaticPod> staticPods = report.source().equals(PodSources.API) || !mayListPods
                ? List.of()
                : pods.stream().limit(MOST_PODS)
                        .map(pod -> new StaticPod(ObjectKey.of(pod).toString(),
                                objects.get(ResourceType.PODS, ObjectKey.of(pod)) != null))
                        .toList();
        List<Refusal> refusals = report.refusals().stream()
                .map(refused -> new Refusal(refused.at().toEpochMilli(), refused.current(),
                        refused.refusal().location()
                                + (refused.refusal().line() > 0 ? " line " + refused.refusal().line() : "")
                                + (refused.refusal().field().isEmpty() ? "" : ", " + refused.refusal().field()),
                        refused.refusal().problem()))
                .toList();
        return new Source(report.source(), report.from(),
                report.lastRead() == null ? null : report.lastRead().toEpochMilli(), report.failure(),
                state != null && state.seen(), pods.size(), staticPods, refusals);
    }
}
