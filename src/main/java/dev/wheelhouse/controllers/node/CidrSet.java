package dev.wheelhouse.controllers.node;

import java.util.BitSet;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.controllers.AddressRange;

/**
 * The ranges of equal size that a cluster's range consists of, and which of them are used (upstream:
 * {@code pkg/controller/nodeipam/ipam/cidrset/cidr_set.go}). Thread safe.
 */
final class CidrSet {
    /** The most bits by which the prefix of a node may be longer than that of the cluster, for IPv6. */
    private static final int MOST_BITS = 16;
    private static final int MOST_BITS_OF_INDEX = 30;

    private final AddressRange cluster;
    private final int size;
    private final int count;
    private final BitSet used = new BitSet();
    private int next;

    /**
     * @param size the prefix of a node's range
     * @throws IllegalArgumentException if the sizes do not fit
     */
    CidrSet(AddressRange cluster, int size) {
        int more = size - cluster.prefix();
        if (more < 0 || size > cluster.bits()) {
            throw new IllegalArgumentException("the nodes' mask size " + size + " does not fit into " + cluster
                    + ": it must be from " + cluster.prefix() + " to " + cluster.bits());
        }
        if (more > (cluster.isV6() ? MOST_BITS : MOST_BITS_OF_INDEX)) {
            throw new IllegalArgumentException("the nodes' mask size " + size + " is too long for " + cluster
                    + ": it may be at most " + MOST_BITS + " more than the cluster's");
        }
        this.cluster = cluster;
        this.size = size;
        this.count = 1 << more;
    }

    AddressRange cluster() {
        return cluster;
    }

    int count() {
        return count;
    }

    synchronized int used() {
        return used.cardinality();
    }

    /** A range with the number of used ones that were passed over. */
    record Allocation(AddressRange range, int tries) {}

    /** Takes the next free range; null if all are used. It begins after the one that was taken last. */
    synchronized @Nullable Allocation allocate() {
        Allocation free = next();
        if (free != null) {
            int index = cluster.firstPart(free.range, size);
            next = (index + 1) % count;
            used.set(index);
        }
        return free;
    }

    /** The range that {@link #allocate} would take; null if all are used. */
    synchronized @Nullable Allocation next() {
        int free = used.nextClearBit(next);
        if (free >= count) {
            free = used.nextClearBit(0);
        }
        return free >= count ? null : new Allocation(cluster.part(free, size), (free - next + count) % count);
    }

    /**
     * Marks all ranges that overlap with another range as used.
     *
     * @return the number of those that were free
     * @throws IllegalArgumentException if none overlaps
     */
    int occupy(AddressRange range) {
        return change(range, true);
    }

    /** Marks all ranges that overlap with another range as free. Returns the number of those that were used. */
    int release(AddressRange range) {
        return change(range, false);
    }

    private synchronized int change(AddressRange range, boolean toUsed) {
        if (!cluster.overlaps(range)) {
            throw new IllegalArgumentException(range + " is not a part of the cluster's range " + cluster);
        }
        int before = used.cardinality();
        used.set(cluster.firstPart(range, size), cluster.lastPart(range, size) + 1, toUsed);
        return Math.abs(used.cardinality() - before);
    }
}
