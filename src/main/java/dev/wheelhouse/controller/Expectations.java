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
 * What a controller has yet to see of its own creations and deletions, per owner. As long as there is any, the owner neither
 * creates nor deletes again; after five minutes it does (upstream: {@code UIDTrackingControllerExpectations} in
 * {@code pkg/controller/controller_utils.go}). Deletions are told apart by UID, so that none is counted twice. Owners are named by
 * their UID, unlike upstream's: word that an owner is gone may come when another of its name has already acted. Thread safe.
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
    /** In the order in which their time is over. */
    private final Map<String, Pending> pending = new LinkedHashMap<>();

    public Expectations(Clock clock) {
        this.clock = clock;
    }

    /** Expects that many creations. Whatever was expected of the owner before is forgotten. */
    public synchronized void expectCreations(String owner, int count) {
        fresh(owner).creations = count;
    }

    /** Expects the deletions of these UIDs. Whatever was expected of the owner before is forgotten. */
    public synchronized void expectDeletions(String owner, Collection<String> uids) {
        fresh(owner).deletions.addAll(uids);
    }

    private Pending fresh(String owner) {
        Pending expected = new Pending();
        expected.expiresAt = clock.deadline(TIMEOUT);
        pending.remove(owner);
        pending.put(owner, expected);
        dropExpired();
        return expected;
    }

    /** Those of an owner that went while it acted are forgotten by nobody else. */
    private void dropExpired() {
        long now = clock.nanoTime();
        Iterator<Pending> eldest = pending.values().iterator();
        while (eldest.hasNext() && eldest.next().expiresAt - now <= 0) {
            eldest.remove();
        }
    }

    /** A creation was seen, or will never be. */
    public void creationObserved(String owner) {
        creationsObserved(owner, 1);
    }

    /** That many creations were seen, or will never be. */
    public synchronized void creationsObserved(String owner, int count) {
        Pending expected = pending.get(owner);
        if (expected != null) {
            expected.creations -= count;
            dropIfMet(owner, expected);
        }
    }

    /** The deletion of this UID was seen, be it only its beginning, or will never be. */
    public synchronized void deletionObserved(String owner, String uid) {
        Pending expected = pending.get(owner);
        if (expected != null && expected.deletions.remove(uid)) {
            dropIfMet(owner, expected);
        }
    }

    private void dropIfMet(String owner, Pending expected) {
        if (expected.isMet()) {
            pending.remove(owner);
        }
    }

    /** How many owners are held back, or were until their time was over. */
    synchronized int size() {
        return pending.size();
    }

    /** Forgets an owner, as when it is gone. */
    public synchronized void forget(String owner) {
        pending.remove(owner);
    }

    /** Whether the owner may create and delete: everything was seen, or the time is over. */
    public boolean areMet(String owner) {
        return untilMet(owner).isZero();
    }

    /** Until when, at the latest, the expectations hold the owner back; zero if they do not. */
    public synchronized Duration untilMet(String owner) {
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
