package dev.wheelhouse.podconfig;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells whether the consumer has handled a change of every source. Only then may it clean up pods that no source names
 * (upstream: {@code pkg/kubelet/config/sources.go}). Thread safe.
 */
public final class SourcesReady {
    private final Predicate<Set<String>> allSeen;
    private final Set<String> seen = new HashSet<>();

    /** @param allSeen tests whether these are all configured sources; usually {@link PodConfig#seenAllSources} */
    public SourcesReady(Predicate<Set<String>> allSeen) {
        this.allSeen = allSeen;
    }

    /** Records that the consumer handled a change of this source. */
    public synchronized void add(String source) {
        seen.add(source);
    }

    /** Whether the consumer has handled a change of this source. */
    public synchronized boolean hasSeen(String source) {
        return seen.contains(source);
    }

    /** Whether the consumer has handled a change of every configured source. */
    public boolean allReady() {
        Set<String> now;
        synchronized (this) {
            now = Set.copyOf(seen);
        }
        return allSeen.test(now);
    }
}
