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
 * Lets static pods of the same name run one after the other, in the order of their arrival, so that two of them never
 * use the same ports and paths at once (upstream: {@code allowPodStart} in {@code pkg/kubelet/pod_workers.go}). Not
 * thread safe.
 */
final class StaticPodTurns {
    private final Map<ObjectKey, String> started = new HashMap<>();
    private final Map<ObjectKey, ArrayDeque<String>> waiting = new HashMap<>();

    /** Adds a new pod to those that wait. */
    void add(ObjectKey name, String uid) {
        waiting.computeIfAbsent(name, n -> new ArrayDeque<>()).add(uid);
    }

    /** Removes a pod that waits. */
    void giveUp(ObjectKey name, String uid) {
        waiting.computeIfPresent(name, (n, uids) -> {
            uids.remove(uid);
            return uids.isEmpty() ? null : uids;
        });
    }

    /**
     * Starts a pod if it is its turn.
     *
     * @param stillWaits whether an earlier pod still exists and waits
     * @return whether the pod may run
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

    /**
     * Records that a pod has ended.
     * @return the pods that wait for this name
     */
    Collection<String> end(ObjectKey name, String uid) {
        return started.remove(name, uid) && waiting.containsKey(name) ? List.copyOf(waiting.get(name)) : List.of();
    }

    /** The running pod with this name; null if there is none. */
    @Nullable
    String started(ObjectKey name) {
        return started.get(name);
    }
}
