package dev.wheelhouse.apiserver;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits follow from the heap: connections and watches may use a quarter of it. */
class TrafficTest {
    private static final long MIB = 1024 * 1024;

    @Test
    void aSmallHeapHasFewerConnectionsAndWatchesThanAreConfigured() {
        assertThat(Traffic.connections(ApiServerOptions.defaults(), 512 * MIB)).isBetween(1_000, 7_000);
        assertThat(Traffic.watches(ApiServerLimits.standard(), 512 * MIB)).isBetween(500, 2_000);
    }

    @Test
    void aLargeHeapHasAsManyWatchesAsAreConfigured() {
        assertThat(Traffic.watches(ApiServerLimits.standard(), 16 * 1024 * MIB)).isEqualTo(10_000);
        assertThat(Traffic.watches(TestLimits.withWatches(3, ApiServerLimits.standard()), 512 * MIB)).isEqualTo(3);
    }
}
