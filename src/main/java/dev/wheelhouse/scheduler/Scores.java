package dev.wheelhouse.scheduler;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Scores the nodes that fit a pod (upstream: the score plugins of the default profile, with their weights, but without
 * image locality).
 */
final class Scores {
    private static final long MAX = 100;

    private Scores() {}

    /** The weighted sums of all scores, in the order of the nodes. */
    static long[] of(SchedulingView view, List<NodeInfo> nodes, PodAffinityRules affinity, SpreadRules spread) {
        PodInfo pod = view.pod();
        long[] taints = new long[nodes.size()];
        long[] preference = new long[nodes.size()];
        long[] near = new long[nodes.size()];
        for (int i = 0; i < nodes.size(); i++) {
            NodeInfo node = nodes.get(i);
            taints[i] = Taints.discourage(node.taints(), pod.tolerations());
            preference[i] = pod.selection().preference(node.name(), node.labels());
            near[i] = affinity.weight(node);
        }
        scaleToLargest(taints, true);
        scaleToLargest(preference, false);
        scaleToSpan(near);
        Map<NodeInfo, Long> spreadScores = spread.scores(nodes);
        long[] sum = new long[nodes.size()];
        for (int i = 0; i < nodes.size(); i++) {
            NodeInfo node = nodes.get(i);
            sum[i] = 3 * taints[i] + 2 * preference[i] + 2 * near[i] + 2 * spreadScores.getOrDefault(node, 0L)
                    + leastRequested(pod, node) + balanced(pod, node);
        }
        return sum;
    }

    /** The average share of CPU and memory that would remain free, from 0 to 100. */
    static long leastRequested(PodInfo pod, NodeInfo node) {
        long sum = 0;
        int count = 0;
        if (node.allocatable().milliCpu() > 0) {
            sum += left(node.scoredMilliCpu() + pod.forScoring().milliCpu(), node.allocatable().milliCpu());
            count++;
        }
        if (node.allocatable().memory() > 0) {
            sum += left(node.scoredMemory() + pod.forScoring().memory(), node.allocatable().memory());
            count++;
        }
        return count == 0 ? 0 : sum / count;
    }

    private static long left(long requested, long capacity) {
        return requested > capacity ? 0 : (long) ((double) (capacity - requested) / capacity * MAX);
    }

    /** How much the pod would balance the used shares of CPU and memory; from 50 to 100, and 75 if nothing changes. */
    static long balanced(PodInfo pod, NodeInfo node) {
        long with = balance(node, node.milliCpu() + pod.requests().milliCpu(),
                node.memory() + pod.requests().memory());
        long without = balance(node, node.milliCpu(), node.memory());
        return MAX / 2 + (MAX / 2 + with - without) / 2;
    }

    private static long balance(NodeInfo node, long milliCpu, long memory) {
        long cpuOffered = node.allocatable().milliCpu();
        long memoryOffered = node.allocatable().memory();
        if (cpuOffered == 0 || memoryOffered == 0) {
            return MAX;
        }
        double cpuShare = Math.min(1, (double) milliCpu / cpuOffered);
        double memoryShare = Math.min(1, (double) memory / memoryOffered);
        return (long) ((1 - Math.abs(cpuShare - memoryShare) / 2) * MAX);
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
