package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * What a controller has yet to see of its own creations and deletions, per owner. As long as there is any, the owner neither
 * creates nor deletes again; after five minutes it does (upstream: {@code UIDTrackingControllerExpectations} in
 * {@code pkg/controller/controller_utils.go}). Deletions are told apart by UID, so that none is counted twice. Thread safe.
 */
public final class Expectations {
    /** After this long without news, expectations no longer hold an owner back. */
    public static final Duration TIMEOUT = Duration.ofMinutes(5);

    private static final class Pending {
        int creations;
        final Set<String> deletions = new HashSet<>();
        long expiresAt;

        boolean isMet() {
            return creations <= 0 && deletions.isEmpty();
        }
    }

    private final Clock clock;
    private final Map<ObjectKey, Pending> pending = new HashMap<>();

    public Expectations(Clock clock) {
        this.clock = clock;
    }

    /** Expects that many creations. Whatever was expected of the owner before is forgotten. */
    public synchronized void expectCreations(ObjectKey owner, int count) {
        fresh(owner).creations = count;
    }

    /** Expects the deletions of these UIDs. Whatever was expected of the owner before is forgotten. */
    public synchronized void expectDeletions(ObjectKey owner, Collection<String> uids) {
        fresh(owner).deletions.addAll(uids);
    }

    private Pending fresh(ObjectKey owner) {
        Pending expected = new Pending();
        expected.expiresAt = clock.deadline(TIMEOUT);
        pending.put(owner, expected);
        return expected;
    }

    /** A creation was seen, or will never be. */
    public void creationObserved(ObjectKey owner) {
        creationsObserved(owner, 1);
    }

    /** That many creations were seen, or will never be. */
    public synchronized void creationsObserved(ObjectKey owner, int count) {
        Pending expected = pending.get(owner);
        if (expected != null) {
            expected.creations -= count;
            dropIfMet(owner, expected);
        }
    }

    /** The deletion of this UID was seen, be it only its beginning, or will never be. */
    public synchronized void deletionObserved(ObjectKey owner, String uid) {
        Pending expected = pending.get(owner);
        if (expected != null && expected.deletions.remove(uid)) {
            dropIfMet(owner, expected);
        }
    }

    private void dropIfMet(ObjectKey owner, Pending expected) {
        if (expected.isMet()) {
            pending.remove(owner);
        }
    }

    /** Forgets an owner, as when it is gone. */
    public synchronized void forget(ObjectKey owner) {
        pending.remove(owner);
    }

    /** Whether the owner may create and delete: everything was seen, or the time is over. */
    public boolean areMet(ObjectKey owner) {
        return untilMet(owner).isZero();
    }

    /** Until when, at the latest, the expectations hold the owner back; zero if they do not. */
    public synchronized Duration untilMet(ObjectKey owner) {
        Pending expected = pending.get(owner);
        if (expected == null) {
            return Duration.ZERO;
        }
        long left = expected.expiresAt - clock.nanoTime();
        if (left <= 0) {
            pending.remove(owner);
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.min(left, Durations.saturatedNanos(TIMEOUT)));
    }
}
