package dev.wheelhouse.informer;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * Decides when a Reflector lists its collection again because the cache may be wrong: half a minute after a watch
 * brought an object that cannot be decoded, or after a list that is empty although the cache held objects. While lists
 * stay empty or keep such objects, the delay doubles each time, up to an hour. Not thread safe: it belongs to one
 * Reflector's loop.
 */
final class RelistSchedule {
    private static final Duration FIRST = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Clock clock;
    /** The time of the clock at which the collection is listed again; 0 for never. */
    private long at;
    private Duration delay = FIRST;
    /** The approximate number of cached objects. Events that a sick server repeats are counted again. */
    private long held;
    /** Whether the last list was empty although the cache held objects, and no list since then has had any. */
    private boolean emptied;

    RelistSchedule(Clock clock) {
        this.clock = clock;
    }

    /**
     * Records a whole list.
     *
     * @return a warning if the cache held objects and the list has none; else null
     */
    @Nullable
    String listed(int objects, int undecodable) {
        boolean empty = objects == 0 && undecodable == 0;
        // A server that keeps undecodable objects, or whose collection stays empty, is listed less and less often.
        delay = undecodable > 0 || (empty && emptied) ? Durations.doubled(delay, 1, LONGEST) : FIRST;
        emptied = empty && (emptied || held > 0);
        at = emptied ? clock.deadline(delay) : 0;
        String warning = !emptied || held == 0
                ? null
                : "the list is empty, although the cache held about " + held + " objects; lists again in "
                        + delay.toSeconds() + " s, as a sick server may list nothing";
        held = (long) objects + undecodable;
        return warning;
    }

    /** Records the changes that a watch brought. */
    void changed(List<? extends Delta<?>> changes) {
        for (int i = 0; i < changes.size(); i++) {
            Delta.Type type = changes.get(i).type();
            if (type == Delta.Type.ADDED) {
                held++;
            } else if (type == Delta.Type.DELETED && held > 0) {
                held--;
            }
        }
    }

    /** Records that a watch brought an object that cannot be decoded, which may hide a change. */
    void undecodable() {
        if (at == 0) {
            at = clock.deadline(delay);
        }
    }

    /** Whether the collection will be listed again. */
    boolean isPending() {
        return at != 0;
    }

    /** The nanoseconds until the list is due; zero or less if it is. */
    long untilDue() {
        return at == 0 ? Long.MAX_VALUE : at - clock.nanoTime();
    }

    /** Whether the list is due because the last one was empty. */
    boolean isOfEmptyList() {
        return emptied;
    }
}
