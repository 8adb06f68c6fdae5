package dev.wheelhouse.controllers.node;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controllers.AddressRange;
import dev.wheelhouse.controllers.ControllerOptions;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * The ranges of addresses that nodes have for their pods, one of each of the cluster's ranges (upstream:
 * {@code pkg/controller/nodeipam/ipam/range_allocator.go}). Thread safe.
 */
final class NodeRanges {
    private static final Logger log = LoggerFactory.getLogger(NodeRanges.class);
    private static final int V4_SIZE = 24;
    private static final int V6_SIZE = 64;

    private static final String LABEL = "clusterCIDR";
    private static final Measure ALLOCATIONS = Measure.counter("node_ipam_controller_cidrset_cidrs_allocations_total",
            "Ranges of addresses given to nodes", LABEL);
    private static final Measure RELEASES = Measure.counter("node_ipam_controller_cidrset_cidrs_releases_total",
            "Ranges of addresses given back", LABEL);
    private static final Measure MOST = Measure.gauge("node_ipam_controller_cirdset_max_cidrs",
            "Ranges that the cluster's range consists of", LABEL);
    private static final Measure USAGE = Measure.gauge("node_ipam_controller_cidrset_usage_cidrs",
            "Part of the ranges that is used", LABEL);
    private static final Measure TRIES = new Measure(Measure.Kind.HISTOGRAM,
            "node_ipam_controller_cidrset_allocation_tries_per_request", "Used ranges passed over for a free one",
            List.of(LABEL), List.of(1.0, 5.0, 25.0, 125.0, 625.0));

    private final List<CidrSet> sets;
    private final ControllerMetrics metrics;

    /** @throws IllegalArgumentException if the options do not fit together */
    NodeRanges(ControllerOptions.NodeIpam options, ControllerMetrics metrics) {
        this.sets = sets(options);
        this.metrics = metrics;
        for (CidrSet set : sets) {
            metrics.record(MOST, set.count(), set.cluster().toString());
        }
        for (String service : options.serviceClusterIpRange()) {
            AddressRange range = AddressRange.of(service);
            sets.stream().filter(set -> set.cluster().overlaps(range)).forEach(set -> occupy(set, range));
        }
    }

    /** The sets of the cluster's ranges, of which none is used. */
    static List<CidrSet> sets(ControllerOptions.NodeIpam options) {
        List<AddressRange> clusters = options.clusterCidr().stream().map(AddressRange::of).toList();
        if (clusters.isEmpty()) {
            throw new IllegalArgumentException("allocate-node-cidrs is set, but cluster-cidr is not: name the range "
                    + "of the cluster's pods, such as 10.244.0.0/16");
        }
        boolean dual = clusters.size() == 2 && clusters.get(0).isV6() != clusters.get(1).isV6();
        if (clusters.size() > 1 && !dual) {
            throw new IllegalArgumentException(
                    "cluster-cidr is " + clusters + ": it must be one range, or one of IPv4 and one of IPv6");
        }
        requireSizesThatFit(options, clusters);
        List<CidrSet> sets = new ArrayList<>();
        for (AddressRange cluster : clusters) {
            int own = cluster.isV6() ? options.nodeCidrMaskSizeIpv6() : options.nodeCidrMaskSizeIpv4();
            int both = options.nodeCidrMaskSize();
            sets.add(new CidrSet(cluster, both != 0 ? both : own != 0 ? own : cluster.isV6() ? V6_SIZE : V4_SIZE));
        }
        return sets;
    }

    private static void requireSizesThatFit(ControllerOptions.NodeIpam options, List<AddressRange> clusters) {
        boolean v4 = options.nodeCidrMaskSizeIpv4() != 0;
        boolean v6 = options.nodeCidrMaskSizeIpv6() != 0;
        boolean dual = clusters.size() > 1;
        if (options.nodeCidrMaskSize() != 0 && (dual || v4 || v6)) {
            throw new IllegalArgumentException("node-cidr-mask-size is set together with "
                    + (dual ? "two ranges in cluster-cidr" : "a size for IPv4 or IPv6")
                    + ": use node-cidr-mask-size-ipv4 and node-cidr-mask-size-ipv6 instead");
        }
        if (!dual && (clusters.getFirst().isV6() ? v4 : v6)) {
            throw new IllegalArgumentException("node-cidr-mask-size-ipv" + (v4 ? "4" : "6")
                    + " is set, but cluster-cidr has no such range: leave it out");
        }
    }

    private void occupy(CidrSet set, AddressRange range) {
        metrics.record(ALLOCATIONS, set.occupy(range), set.cluster().toString());
        usage(set);
    }

    private void release(CidrSet set, AddressRange range) {
        metrics.record(RELEASES, set.release(range), set.cluster().toString());
        usage(set);
    }

    private void usage(CidrSet set) {
        metrics.record(USAGE, (double) set.used() / set.count(), set.cluster().toString());
    }

    static List<String> of(V1Node node) {
        return node.getSpec() == null ? List.of() : orEmpty(node.getSpec().getPodCIDRs());
    }

    /**
     * Marks the ranges that a node has as used.
     *
     * @throws IllegalArgumentException if one of them is not a part of the cluster's ranges
     */
    void occupy(V1Node node) {
        List<String> ranges = of(node);
        for (int i = 0; i < ranges.size(); i++) {
            occupy(set(node, ranges, i), AddressRange.of(ranges.get(i)));
        }
    }

    private CidrSet set(V1Node node, List<String> ranges, int index) {
        if (index >= sets.size()) {
            throw new IllegalArgumentException("the node " + NodeHealth.name(node) + " has the ranges " + ranges
                    + ", but cluster-cidr names only " + sets.size());
        }
        return sets.get(index);
    }

    /** Marks the ranges of a node that is gone as free. */
    void release(V1Node node) {
        release(node, of(node));
    }

    private void release(V1Node node, List<String> ranges) {
        for (int i = 0; i < ranges.size(); i++) {
            try {
                release(set(node, ranges, i), AddressRange.of(ranges.get(i)));
            } catch (IllegalArgumentException e) {
                log.warn("{}: a range of the node {}, which is gone, is not free for others: {}",
                        NodeIpamController.NAME, NodeHealth.name(node), e.getMessage());
            }
        }
    }

    /** Takes a free range of each set, in the order of the sets; null if one of them has none. */
    @Nullable
    List<String> allocate(V1Node node) {
        List<String> ranges = new ArrayList<>();
        for (CidrSet set : sets) {
            CidrSet.Allocation allocation = set.allocate();
            if (allocation == null) {
                release(node, ranges);
                return null;
            }
            String label = set.cluster().toString();
            metrics.record(ALLOCATIONS, 1, label);
            metrics.record(TRIES, allocation.tries(), label);
            usage(set);
            ranges.add(allocation.range().toString());
        }
        return ranges;
    }

    /** The ranges that {@link #allocate} would take now; null if one of the sets has none. */
    @Nullable
    List<String> next() {
        List<String> ranges = new ArrayList<>();
        for (CidrSet set : sets) {
            CidrSet.Allocation free = set.next();
            if (free == null) {
                return null;
            }
            ranges.add(free.range().toString());
        }
        return ranges;
    }

    /** Gives ranges back that a node did not get. */
    void giveBack(V1Node node, List<String> ranges) {
        release(node, ranges);
    }
}
