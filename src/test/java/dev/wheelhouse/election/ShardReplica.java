package dev.wheelhouse.election;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.SteppedRunner;

/** One replica without threads, whose work on a shard ends when the test says so. */
final class ShardReplica {
    static final ObjectKey GROUP = ObjectKey.of("kube-system", "wheelhouse");

    final String name;
    final ShardElector elector;
    /** The shards whose work has begun and has not ended, each with its lead. */
    final Map<Integer, Leadership> working = new TreeMap<>();
    /** The shards whose work does not end when it should. */
    final Set<Integer> stuck = new TreeSet<>();
    private final SteppedRunner runner;

    ShardReplica(String name, int shards, KubeClient client, Clock clock) {
        this.name = name;
        this.runner = new SteppedRunner(name, clock);
        this.elector = new ShardElector(new ElectionOptions(GROUP, name, Duration.ofSeconds(15),
                Duration.ofSeconds(10), Duration.ofSeconds(2)), shards, client, clock,
                new SplittableRandom(name.hashCode()), runner, Meters.NONE, (shard, of, lead) -> {
                    working.put(shard, lead);
                    return () -> {
                        if (!stuck.contains(shard)) {
                            working.remove(shard);
                        }
                        return !stuck.contains(shard);
                    };
                });
    }

    /** Steps the loops that are due, once each. */
    void step(Map<Loop, Long> due, long now) {
        Set<Loop> loops = new java.util.LinkedHashSet<>(runner.loops().keySet());
        loops.add(elector);
        for (Loop loop : loops) {
            if (due.getOrDefault(loop, 0L) <= now || loop == elector) {
                try {
                    long wait = loop.step();
                    due.put(loop, wait == Loop.IDLE ? Long.MAX_VALUE : now + wait);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** The shards that this replica may write to now. */
    Set<Integer> leads() {
        Set<Integer> leads = new TreeSet<>();
        working.forEach((shard, lead) -> {
            if (lead.isLeader()) {
                leads.add(shard);
            }
        });
        return leads;
    }
}
