package dev.wheelhouse.election;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Spreads shards evenly over replicas. */
final class ShardSpread {
    private ShardSpread() {}

    /**
     * The number of shards that a replica is to hold: as many as every other, or one more. The replicas that hold the
     * most already have one more, so that few shards move.
     *
     * @param held the number of shards that each living replica holds, this one included
     */
    static int share(String replica, Map<String, Integer> held, int shards) {
        List<String> ranked = held.keySet().stream()
                .sorted(Comparator.comparingInt((String one) -> -held.getOrDefault(one, 0)).thenComparing(one -> one))
                .toList();
        return shards / ranked.size() + (ranked.indexOf(replica) < shards % ranked.size() ? 1 : 0);
    }
}
