package dev.wheelhouse.controllers.service;

/**
 * The numbers of a decision about slices, for the metrics.
 *
 * @param added the endpoints that get into slices
 * @param removed the endpoints that slices lose
 * @param endpoints the endpoints that slices should have
 * @param fewest the fewest slices that would do for them
 */
record SliceCounts(int added, int removed, int endpoints, int slices, int fewest) {
    static final SliceCounts NONE = new SliceCounts(0, 0, 0, 0, 0);

    /**
     * The counts of one set of ports.
     *
     * @param most the most endpoints of a slice
     */
    static SliceCounts of(int added, int removed, int endpoints, int slices, int most) {
        return new SliceCounts(added, removed, endpoints, slices, (endpoints + most - 1) / most);
    }

    SliceCounts plus(SliceCounts other) {
        return new SliceCounts(added + other.added, removed + other.removed, endpoints + other.endpoints,
                slices + other.slices, fewest + other.fewest);
    }

    /** Whether slices and endpoints are as many. */
    boolean isSame(SliceCounts other) {
        return endpoints == other.endpoints && slices == other.slices && ideal() == other.ideal();
    }

    /** The fewest slices that would do. A Service without endpoints has one. */
    int ideal() {
        return Math.max(1, fewest);
    }
}
