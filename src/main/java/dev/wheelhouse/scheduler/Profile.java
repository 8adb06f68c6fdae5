package dev.wheelhouse.scheduler;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Affinity;
import io.kubernetes.client.openapi.models.V1NodeAffinity;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1TopologySpreadConstraint;

import dev.wheelhouse.api.NodeSelection;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * How the pods of one {@code spec.schedulerName} are scheduled.
 *
 * @param filters the plugins that may reject nodes
 * @param weights the plugins that score nodes, with their weights
 * @param gated whether pods with scheduling gates wait
 * @param preempts whether pods of lower priority may have to go
 * @param percentage how many of the nodes are enough to choose among, in percent; 0 for upstream's rule, by which the
 *     share sinks with the number of nodes
 */
record Profile(String name, Set<Plugin> filters, Map<Plugin, Integer> weights, boolean gated, boolean preempts,
        int percentage, Args args) {
    private static final int LEAST_NODES = 100;
    private static final int LEAST_PERCENT = 5;

    boolean filters(Plugin plugin) {
        return filters.contains(plugin);
    }

    /** The weight of a plugin's score; 0 if it does not score. */
    int weight(Plugin plugin) {
        return weights.getOrDefault(plugin, 0);
    }

    /** How many nodes that fit are enough to choose among (upstream: {@code numFeasibleNodesToFind}). */
    int enough(int nodes) {
        int percent = percentage == 0 ? Math.max(LEAST_PERCENT, 50 - nodes / 125) : percentage;
        return nodes < LEAST_NODES ? nodes : Math.max(LEAST_NODES, (int) ((long) nodes * percent / 100));
    }

    /**
     * The arguments of the plugins. Their fields have upstream's names.
     *
     * @param added what every pod requires and prefers of nodes
     * @param constraints the constraints of pods that declare none
     */
    record Args(Preemption preemption, Affinity affinity, NodeSelection added, Fit fit, Balance balance,
            List<SpreadConstraint> constraints, boolean systemConstraints, Binding binding) {}

    record Preemption(int minCandidateNodesPercentage, int minCandidateNodesAbsolute) {}

    record Affinity(int hardPodAffinityWeight, boolean ignorePreferredTermsOfExistingPods) {}

    record Fit(List<String> ignoredResources, List<String> ignoredResourceGroups, Strategy scoringStrategy) {
        boolean ignores(String resource) {
            int slash = resource.indexOf('/');
            return slash >= 0 && (ignoredResources.contains(resource)
                    || ignoredResourceGroups.contains(resource.substring(0, slash)));
        }
    }

    record Strategy(String type, List<Resource> resources, @Nullable Ratio requestedToCapacityRatio) {
        Strategy {
            resources = orEmpty(resources).isEmpty()
                    ? List.of(new Resource("cpu", 1), new Resource("memory", 1))
                    : resources;
        }
    }

    record Resource(String name, int weight) {
        Resource {
            weight = weight == 0 ? 1 : weight;
        }
    }

    record Ratio(List<Point> shape) {
        Ratio {
            shape = orEmpty(shape);
        }
    }

    record Point(int utilization, int score) {}

    record Balance(List<Resource> resources) {}

    record Spread(List<V1TopologySpreadConstraint> defaultConstraints, String defaultingType) {}

    record Added(@Nullable V1NodeAffinity addedAffinity) {
        NodeSelection selection() {
            return NodeSelection.of(new V1PodSpec().affinity(new V1Affinity().nodeAffinity(addedAffinity)));
        }
    }

    record Binding(long bindTimeoutSeconds) {}
}
