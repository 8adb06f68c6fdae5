package dev.wheelhouse.workqueue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;

/**
 * Limits how often keys are synced: each key, and all keys together. A key that comes too early gets the time of its
 * turn. It keeps this turn however often it is added meanwhile, so changes in the meantime lead to one sync. Thread
 * safe.
 *
 * @param <K> the keys, with value equality
 */
public final class RunRates<K> {
    private final @Nullable FlowBuckets each;
    private final @Nullable FlowBuckets together;
    private final Clock clock;
    /** The turns of the keys that have come too early. */
    private final Map<K, Turn> turns = new HashMap<>();

    /** @param last whether the key waits for all keys together, as it does after its own wait */
    private record Turn(long at, boolean last) {}

    /**
     * A number of syncs in a time. They may come at once; the next one waits for its share of the time.
     */
    public record Rate(int syncs, Duration within) {
        /** @throws IllegalArgumentException if one of them is not positive */
        public Rate {
            if (syncs < 1 || !within.isPositive()) {
                throw new IllegalArgumentException(
                        "a rate of " + syncs + " in " + within + ": both must be positive");
            }
        }

        private FlowBuckets buckets() {
            return new FlowBuckets(new RateLimits(Duration.ZERO, Duration.ZERO, syncs * 1e9 / within.toNanos(), syncs));
        }
    }

    /**
     * @param each the rate of each key; null for no limit
     * @param together the rate of all keys together; null for no limit
     */
    public RunRates(@Nullable Rate each, @Nullable Rate together, Clock clock) {
        this.each = each == null ? null : each.buckets();
        this.together = together == null ? null : together.buckets();
        this.clock = clock;
    }

    /** How long a key has to wait; zero if it is its turn, which is then used up. */
    public synchronized Duration delay(K key) {
        long now = clock.nanoTime();
        Turn turn = turns.get(key);
        if (turn == null) {
            turn = new Turn(now + (each == null ? 0 : each.reserveNanos(key, now)), false);
        }
        if (!turn.last && turn.at - now <= 0) {
            turn = new Turn(now + (together == null ? 0 : together.reserveNanos("", now)), true);
        }
        if (turn.at - now <= 0) {
            turns.remove(key);
            return Duration.ZERO;
        }
        turns.put(key, turn);
        return Duration.ofNanos(turn.at - now);
    }

    /** The number of keys that wait for their turns. */
    public synchronized int waiting() {
        return turns.size();
    }
}
