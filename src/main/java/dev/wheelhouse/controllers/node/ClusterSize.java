package dev.wheelhouse.controllers.node;

/**
 * The number of nodes, and the step of sizes that follows from it and from the sizes before (upstream:
 * {@code ttlBoundaries} in {@code pkg/controller/ttl/ttl_controller.go}). The steps overlap, so that a cluster at a
 * boundary does not change its step with each node that comes and goes.
 *
 * @param nodes the number of nodes
 * @param step the index of the present step
 */
record ClusterSize(int nodes, int step) {
    static final ClusterSize EMPTY = new ClusterSize(0, 0);

    private static final Step[] STEPS = {new Step(0, 100, 0), new Step(90, 500, 15), new Step(450, 1000, 30),
            new Step(900, 2000, 60), new Step(1800, Integer.MAX_VALUE, 300)};

    private record Step(int smallest, int largest, int seconds) {}

    ClusterSize added() {
        int more = nodes + 1;
        return new ClusterSize(more, more > STEPS[step].largest ? step + 1 : step);
    }

    ClusterSize removed() {
        int fewer = nodes - 1;
        return new ClusterSize(fewer, fewer < STEPS[step].smallest ? step - 1 : step);
    }

    /** The seconds for which kubelets may keep Secrets and ConfigMaps in their caches. */
    int seconds() {
        return STEPS[step].seconds;
    }
}
