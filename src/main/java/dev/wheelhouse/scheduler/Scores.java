package dev.wheelhouse.scheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** Scores the nodes that fit a pod, by the plugins and weights of its profile. */
final class Scores {
    static final String RATIO = "RequestedToCapacityRatio";

    private static final long MAX = 100;
    /** The sizes of images between which the score rises, in bytes. */
    private static final long SMALL_IMAGE = 23L << 20;
    private static final long LARGE_IMAGE = 1000L << 20;

    private Scores() {}

    /** The weighted sums of all scores, in the order of the nodes. */
    static long[] of(SchedulingView view, List<NodeInfo> nodes, PodAffinityRules affinity, SpreadRules spread) {
        PodInfo pod = view.pod();
        Profile profile = view.profile();
        long[] sum = new long[nodes.size()];
        add(sum, nodes, profile.weight(Plugin.TAINT_TOLERATION),
                node -> Taints.discourage(node.taints(), pod.tolerations()), scores -> scaleToLargest(scores, true));
        add(sum, nodes, profile.weight(Plugin.NODE_AFFINITY),
                node -> pod.selection().preference(node.name(), node.labels())
                        + profile.args().added().preference(node.name(), node.labels()),
                scores -> scaleToLargest(scores, false));
        add(sum, nodes, profile.weight(Plugin.INTER_POD_AFFINITY), affinity::weight, Scores::scaleToSpan);
        int spreadWeight = profile.weight(Plugin.POD_TOPOLOGY_SPREAD);
        if (spreadWeight > 0) {
            Map<NodeInfo, Long> spreadScores = spread.scores(nodes);
            add(sum, nodes, spreadWeight, node -> spreadScores.getOrDefault(node, 0L), scores -> {});
        }
        add(sum, nodes, profile.weight(Plugin.NODE_RESOURCES_FIT),
                node -> fit(profile.args().fit().scoringStrategy(), pod, node), scores -> {});
        add(sum, nodes, profile.weight(Plugin.NODE_RESOURCES_BALANCED_ALLOCATION),
                node -> balanced(profile.args().balance().resources(), pod, node), scores -> {});
        add(sum, nodes, profile.weight(Plugin.IMAGE_LOCALITY), images(view), scores -> {});
        return sum;
    }

    private static void add(long[] sum, List<NodeInfo> nodes, int weight, ToLongFunction<NodeInfo> score,
            Consumer<long[]> normalize) {
        if (weight > 0) {
            long[] scores = nodes.stream().mapToLong(score).toArray();
            normalize.accept(scores);
            for (int i = 0; i < scores.length; i++) {
                sum[i] += weight * scores[i];
            }
        }
    }

    /** How much of the resources would be free, or used, from 0 to 100 (upstream: {@code plugins/noderesources}). */
    static long fit(Profile.Strategy strategy, PodInfo pod, NodeInfo node) {
        boolean ratio = strategy.type().equals(RATIO);
        long sum = 0;
        long weights = 0;
        for (Profile.Resource each : strategy.resources()) {
            long wanted = pod.forScoring().amount(each.name());
            long capacity = offered(each.name(), wanted, node);
            if (capacity > 0) {
                long used = node.scored(each.name()) + wanted;
                long score = ratio
                        ? onShape(Objects.requireNonNull(strategy.requestedToCapacityRatio()).shape(),
                                used > capacity ? MAX : used * MAX / capacity)
                        : strategy.type().equals("MostAllocated")
                                ? Math.min(used, capacity) * MAX / capacity
                                : Math.max(0, capacity - used) * MAX / capacity;
                sum += score * each.weight();
                weights += ratio && score == 0 ? 0 : each.weight();
            }
        }
        return weights == 0 ? 0 : ratio ? Math.round((double) sum / weights) : sum / weights;
    }

    /** The amount that a node offers of a resource that counts; 0 for a further resource that the pod does not want. */
    private static long offered(String resource, long wanted, NodeInfo node) {
        return wanted > 0 || ResourceAmounts.BASIC.contains(resource) ? node.allocatable().amount(resource) : 0;
    }

    private static long onShape(List<Profile.Point> shape, long utilization) {
        for (int i = 0; i < shape.size(); i++) {
            Profile.Point to = shape.get(i);
            if (utilization <= to.utilization()) {
                Profile.Point from = shape.get(Math.max(0, i - 1));
                return i == 0
                        ? 10L * to.score()
                        : 10L * from.score() + 10L * (to.score() - from.score()) * (utilization - from.utilization())
                                / (to.utilization() - from.utilization());
            }
        }
        return 10L * shape.getLast().score();
    }

    /** How much the pod would balance the used shares of resources; from 50 to 100, and 75 if nothing changes. */
    static long balanced(List<Profile.Resource> resources, PodInfo pod, NodeInfo node) {
        double[] with = new double[resources.size()];
        double[] without = new double[resources.size()];
        int count = 0;
        for (Profile.Resource each : resources) {
            long wanted = pod.requests().amount(each.name());
            long capacity = offered(each.name(), wanted, node);
            if (capacity > 0) {
                long used = node.requested(each.name());
                with[count] = Math.min(1, (double) (used + wanted) / capacity);
                without[count++] = Math.min(1, (double) used / capacity);
            }
        }
        return MAX / 2 + (MAX / 2 + balance(with, count) - balance(without, count)) / 2;
    }

    private static long balance(double[] shares, int count) {
        double deviation = 0;
        if (count == 2) {
            deviation = Math.abs(shares[0] - shares[1]) / 2;
        } else if (count > 2) {
            double mean = Arrays.stream(shares, 0, count).sum() / count;
            deviation = Math.sqrt(Arrays.stream(shares, 0, count).map(x -> (x - mean) * (x - mean)).sum() / count);
        }
        return (long) ((1 - deviation) * MAX);
    }

    /** How much of a pod's images a node has (upstream: {@code plugins/imagelocality}). */
    private static ToLongFunction<NodeInfo> images(SchedulingView view) {
        Map<String, Long> having = new HashMap<>();
        for (String image : view.pod().images()) {
            having.computeIfAbsent(image,
                    each -> view.nodes().stream().filter(node -> node.images().containsKey(each)).count());
        }
        long span = LARGE_IMAGE * view.pod().containers() - SMALL_IMAGE;
        if (span <= 0 || having.values().stream().allMatch(count -> count == 0)) {
            return node -> 0;
        }
        return node -> {
            long sum = view.pod().images().stream().mapToLong(image -> (long) (node.images().getOrDefault(image, 0L)
                    * ((double) having.getOrDefault(image, 0L) / view.nodes().size()))).sum();
            return MAX * Math.clamp(sum - SMALL_IMAGE, 0, span) / span;
        };
    }

    private static void scaleToLargest(long[] scores, boolean reverse) {
        long largest = Arrays.stream(scores).max().orElse(0);
        for (int i = 0; i < scores.length; i++) {
            long scaled = largest == 0 ? 0 : MAX * scores[i] / largest;
            scores[i] = reverse ? MAX - scaled : scaled;
        }
    }

    private static void scaleToSpan(long[] scores) {
        long least = Arrays.stream(scores).min().orElse(0);
        long most = Arrays.stream(scores).max().orElse(0);
        for (int i = 0; i < scores.length; i++) {
            scores[i] = most == least ? 0 : (long) (MAX * ((double) (scores[i] - least) / (most - least)));
        }
    }
}
