package dev.wheelhouse.controllers.service;

/** The numbers of a decision about slices, for the metrics. */
final class SliceCounts {
    private final int most;
    private int added;
    private int removed;
    private int endpoints;
    private int slices;
    private int ideal;

    /** @param most the most endpoints of a slice */
    SliceCounts(int most) {
        this.most = most;
    }

    /** Counts the endpoints of one set of ports. */
    void add(int wanted, int slicesOfPorts, int addedNow, int removedNow) {
        added += addedNow;
        removed += removedNow;
        endpoints += wanted;
        slices += slicesOfPorts;
        ideal += (wanted + most - 1) / most;
    }

    void addPlaceholder() {
        slices++;
    }

    void add(SliceCounts other) {
        added += other.added;
        removed += other.removed;
        endpoints += other.endpoints;
        slices += other.slices;
        ideal += other.ideal;
    }

    /** Whether slices and endpoints are as many. */
    boolean isSame(SliceCounts other) {
        return endpoints == other.endpoints && slices == other.slices && ideal() == other.ideal();
    }

    int added() {
        return added;
    }

    int removed() {
        return removed;
    }

    int endpoints() {
        return endpoints;
    }

    int slices() {
        return slices;
    }

    /** The fewest slices that would do. A Service without endpoints has one. */
    int ideal() {
        return Math.max(1, ideal);
    }
}
