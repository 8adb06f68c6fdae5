package dev.wheelhouse.node;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;

/**
 * Static pods of one name run one after the other, in the order in which they came, so that no two of them hold the same ports
 * and paths at once (upstream: {@code allowPodStart} in {@code pkg/kubelet/pod_workers.go}). Not thread safe.
 */
final class StaticPodTurns {
    private final Map<ObjectKey, String> started = new HashMap<>();
    private final Map<ObjectKey, ArrayDeque<String>> waiting = new HashMap<>();

    /** A pod has come, and waits. */
    void add(ObjectKey name, String uid) {
        waiting.computeIfAbsent(name, n -> new ArrayDeque<>()).add(uid);
    }

    /** A pod that has not started does not wait any longer. */
    void giveUp(ObjectKey name, String uid) {
        waiting.computeIfPresent(name, (n, uids) -> {
            uids.remove(uid);
            return uids.isEmpty() ? null : uids;
        });
    }

    /**
     * Starts a pod if it is its turn.
     *
     * @param stillWaits whether a pod that came before it is still there and has not started
     */
    boolean start(ObjectKey name, String uid, Predicate<String> stillWaits) {
        ArrayDeque<String> uids = waiting.getOrDefault(name, new ArrayDeque<>());
        while (!uids.isEmpty() && !stillWaits.test(uids.peek())) {
            uids.remove();
        }
        if (started.containsKey(name) || !uid.equals(uids.peek())) {
            return false;
        }
        giveUp(name, uid);
        started.put(name, uid);
        return true;
    }

    /** A pod has ended. @return those that wait for their turn now */
    Collection<String> end(ObjectKey name, String uid) {
        return started.remove(name, uid) && waiting.containsKey(name) ? List.copyOf(waiting.get(name)) : List.of();
    }

    /** The pod of this name that has started and not ended; null if there is none. */
    @Nullable
    String started(ObjectKey name) {
        return started.get(name);
    }
}
