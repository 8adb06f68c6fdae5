package dev.wheelhouse.node;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** One due time per pod, in monotonic nanoseconds, in order of time. Not thread safe. */
final class DueTimes {
    private final Map<String, Due> byUid = new HashMap<>();
    private final TreeSet<Due> inOrder = new TreeSet<>();

    private record Due(long at, String uid) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return at != other.at ? Long.compare(at, other.at) : uid.compareTo(other.uid);
        }
    }

    /**
     * Sets the due time of a pod, replacing an earlier one.
     * @param at {@code Long.MAX_VALUE} for none
     */
    void set(String uid, long at) {
        Due before = byUid.get(uid);
        if (before != null && before.at == at) {
            return;
        }
        remove(uid);
        if (at != Long.MAX_VALUE) {
            Due due = new Due(at, uid);
            byUid.put(uid, due);
            inOrder.add(due);
        }
    }

    void remove(String uid) {
        Due due = byUid.remove(uid);
        if (due != null) {
            inOrder.remove(due);
        }
    }

    /** Removes and returns the pod with the earliest due time, if that time has come; null otherwise. */
    @Nullable
    String poll(long now) {
        if (inOrder.isEmpty() || inOrder.first().at > now) {
            return null;
        }
        String uid = inOrder.first().uid;
        remove(uid);
        return uid;
    }

    /** The nanoseconds until {@link #poll} returns a pod; {@code Long.MAX_VALUE} if there is none. */
    long nanosToNext(long now) {
        return inOrder.isEmpty() ? Long.MAX_VALUE : Math.max(0, inOrder.first().at - now);
    }
}
