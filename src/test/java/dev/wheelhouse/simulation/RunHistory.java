package dev.wheelhouse.simulation;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.runtime.Clock;

/** Facts about a run that rules have to know and that the server's content does not show. */
final class RunHistory {
    private final boolean disrupted;
    private final Clock clock;
    private final Set<String> attempted = new HashSet<>();
    private final Set<String> acknowledged = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private final Set<Written> lateWrites = new HashSet<>();
    private int lateCreates;
    private int lateDeletes;

    /** @param disrupted whether pods become unready by themselves, so that a manager's view of them may be late */
    RunHistory(boolean disrupted, Clock clock) {
        this.disrupted = disrupted;
        this.clock = clock;
    }

    Instant now() {
        return clock.now();
    }

    boolean isDisrupted() {
        return disrupted;
    }

    /** Records that a user or a node ends a pod. Until a manager's cache shows that, the manager counts the pod. */
    void ends(String pod) {
        ended.add(pod);
    }

    /** The pods that users and nodes have ended, by name. */
    Set<String> ended() {
        return ended;
    }

    /** Records that a new process starts, which has no memory. */
    void newManager() {
        attempted.clear();
        acknowledged.clear();
    }

    /** Records that the leading manager tries to delete a pod. */
    void attempt(String podUid) {
        attempted.add(podUid);
    }

    boolean isAttempted(String podUid) {
        return attempted.contains(podUid);
    }

    /** Records that the leading manager knows that it has deleted a pod. */
    void acknowledge(@Nullable String podUid) {
        if (podUid != null) {
            acknowledged.add(podUid);
        }
    }

    boolean isAcknowledged(String podUid) {
        return acknowledged.contains(podUid);
    }

    /** Allows this many creations and deletions of pods by a deposed manager in addition. */
    void allow(int creations, int deletions) {
        lateCreates = creations;
        lateDeletes = deletions;
    }

    int lateCreates() {
        return lateCreates;
    }

    int lateDeletes() {
        return lateDeletes;
    }

    /**
     * Records that a deposed manager wrote an object whose version it had read. The leading manager cannot know that
     * when it writes another object, because preconditions cover one object only.
     */
    void wroteLate(ResourceType type, ObjectKey object) {
        lateWrites.add(new Written(type, object));
    }

    boolean isWrittenLate(ResourceType type, ObjectKey object) {
        return lateWrites.contains(new Written(type, object));
    }

    private record Written(ResourceType type, ObjectKey object) {}
}
