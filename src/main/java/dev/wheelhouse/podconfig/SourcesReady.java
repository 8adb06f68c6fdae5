package dev.wheelhouse.podconfig;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Whether a consumer has heard every source, so that what none of them names may be cleaned up (upstream:
 * {@code pkg/kubelet/config/sources.go}). Thread safe.
 */
public final class SourcesReady {
    private final Predicate<Set<String>> allSeen;
    private final Set<String> seen = new HashSet<>();

    /** @param allSeen usually {@link PodConfig#seenAllSources} */
    public SourcesReady(Predicate<Set<String>> allSeen) {
        this.allSeen = allSeen;
    }

    /** Notes that a change of this source was handled. */
    public synchronized void add(String source) {
        seen.add(source);
    }

    /** Whether a change of this source was handled. */
    public synchronized boolean hasSeen(String source) {
        return seen.contains(source);
    }

    public boolean allReady() {
        Set<String> now;
        synchronized (this) {
            now = Set.copyOf(seen);
        }
        return allSeen.test(now);
    }
}
