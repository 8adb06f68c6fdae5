package dev.wheelhouse.controller;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * The creations and deletions of a controller that its caches do not show yet, per owner. While an owner has unmet
 * expectations, it creates and deletes nothing, for five minutes at most (upstream:
 * {@code UIDTrackingControllerExpectations} in {@code pkg/controller/controller_utils.go}). Deletions are tracked by
 * UID, so that none is counted twice. Owners are identified by UID, not by key as in upstream, because the deletion of
 * an owner may be reported after a new owner of the same name has acted. Thread safe.
 */
public final class Expectations {
    /** The time after which unmet expectations no longer delay an owner. */
    static final Duration TIMEOUT = Duration.ofMinutes(5);

    private static final class Pending {
        int creations;
        final Set<String> deletions = new HashSet<>();
        long expiresAt;

        boolean isMet() {
            return creations <= 0 && deletions.isEmpty();
        }
    }

    private final Clock clock;
    /** By owner UID, in the order of expiry. */
    private final Map<String, Pending> pending = new LinkedHashMap<>();

    public Expectations(Clock clock) {
        this.clock = clock;
    }

    /** Expects {@code count} creations. Earlier expectations of the owner are dropped. */
    public synchronized void expectCreations(String ownerUid, int count) {
        fresh(ownerUid).creations = count;
    }

    /** Expects the deletions of these UIDs. Earlier expectations of the owner are dropped. */
    public synchronized void expectDeletions(String ownerUid, Collection<String> uids) {
        fresh(ownerUid).deletions.addAll(uids);
    }

    /** Expects {@code creations} and the deletions of these UIDs. Earlier expectations of the owner are dropped. */
    public synchronized void expect(String ownerUid, int creations, Collection<String> deletions) {
        Pending expected = fresh(ownerUid);
        expected.creations = creations;
        expected.deletions.addAll(deletions);
        dropIfMet(ownerUid, expected);
    }

    private Pending fresh(String ownerUid) {
        Pending expected = new Pending();
        expected.expiresAt = clock.deadline(TIMEOUT);
        pending.remove(ownerUid);
        pending.put(ownerUid, expected);
        dropExpired();
        return expected;
    }

    /** Removes expired entries. If an owner is deleted during its own sync, nothing else removes its expectations. */
    private void dropExpired() {
        long now = clock.nanoTime();
        Iterator<Pending> eldest = pending.values().iterator();
        while (eldest.hasNext() && eldest.next().expiresAt - now <= 0) {
            eldest.remove();
        }
    }

    /** Counts a creation that was observed, or that failed. */
    public void creationObserved(String ownerUid) {
        creationsObserved(ownerUid, 1);
    }

    /** Counts creations that were observed, or that failed. */
    public synchronized void creationsObserved(String ownerUid, int count) {
        Pending expected = pending.get(ownerUid);
        if (expected != null) {
            expected.creations -= count;
            dropIfMet(ownerUid, expected);
        }
    }

    /** Counts the deletion of a UID: the object is gone, its deletion has begun, or the delete failed. */
    public synchronized void deletionObserved(String ownerUid, String uid) {
        Pending expected = pending.get(ownerUid);
        if (expected != null && expected.deletions.remove(uid)) {
            dropIfMet(ownerUid, expected);
        }
    }

    private void dropIfMet(String ownerUid, Pending expected) {
        if (expected.isMet()) {
            pending.remove(ownerUid);
        }
    }

    /** The number of owners with expectations, expired ones included. */
    synchronized int size() {
        return pending.size();
    }

    /** Drops the expectations of an owner, for example after its deletion. */
    public synchronized void forget(String ownerUid) {
        pending.remove(ownerUid);
    }

    /** Whether the owner may create and delete: all expectations are met, or they have expired. */
    public boolean areMet(String ownerUid) {
        return untilMet(ownerUid).isZero();
    }

    /** The time until the expectations expire; zero if they do not delay the owner. */
    public synchronized Duration untilMet(String ownerUid) {
        Pending expected = pending.get(ownerUid);
        if (expected == null) {
            return Duration.ZERO;
        }
        long left = expected.expiresAt - clock.nanoTime();
        if (left <= 0) {
            pending.remove(ownerUid);
            return Duration.ZERO;
        }
        return Duration.ofNanos(Math.min(left, Durations.saturatedNanos(TIMEOUT)));
    }
}
