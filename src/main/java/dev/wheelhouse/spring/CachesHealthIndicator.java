package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The health of controllers and caches. It is up if every controller runs, or another process leads, and no cache is
 * stale. Otherwise it is out of service, and its details name each stale cache with the reason. A cache is stale if it
 * has been failing for a minute, or if nothing has arrived for six minutes although nothing failed: an API server sends
 * each watch a bookmark every minute, so the watches of such a cache only seem alive.
 *
 * @param running whether every controller runs
 * @param couldRun whether every controller runs, or another process leads and every controller could run at once
 * @param waitingFor the reasons why controllers do not run yet
 */
record CachesHealthIndicator(BooleanSupplier running, BooleanSupplier couldRun, Supplier<List<String>> waitingFor,
        List<InformerStates> informers, Clock clock) implements HealthIndicator {
    private static final Duration TOLERATED_FAILURE = Duration.ofMinutes(1);
    /** Longer than two watches in a row that go silent, which are a failure of their own. */
    private static final Duration TOLERATED_SILENCE = Duration.ofMinutes(6);

    @Override
    public Health health() {
        boolean allRun = running.getAsBoolean();
        List<String> waiting = allRun ? List.of() : waitingFor.get();
        List<String> stale = new ArrayList<>();
        Map<String, Object> caches = new TreeMap<>();
        for (InformerStates source : informers) {
            for (InformerState state : source.states()) {
                caches.put(state.name(), describe(state));
                String why = whyStale(state);
                if (why != null) {
                    stale.add(state.name() + ": " + why);
                }
            }
        }
        boolean ready = (allRun || couldRun.getAsBoolean()) && stale.isEmpty();
        Health.Builder health = ready ? Health.up() : Health.outOfService();
        if (!waiting.isEmpty()) {
            health.withDetail("waitingFor", waiting);
        }
        if (!stale.isEmpty()) {
            health.withDetail("stale", stale);
        }
        return health.withDetail("caches", caches).build();
    }

    private static String describe(InformerState state) {
        if (state.lastError() != null) {
            return state.lastError();
        }
        return state.synced()
                ? state.objects() + " objects at version " + state.resourceVersion()
                : state.reasonNotSynced();
    }

    /** Why the content of a cache may be outdated; null if it is not. */
    private @Nullable String whyStale(InformerState state) {
        Duration lag = state.lag(clock.now());
        if (!state.synced() || lag == null) {
            return null;
        }
        if (state.lastError() != null) {
            return lag.compareTo(TOLERATED_FAILURE) > 0 ? state.lastError() : null;
        }
        return lag.compareTo(TOLERATED_SILENCE) > 0
                ? "nothing has arrived for " + lag.toSeconds() + " s, not even a bookmark, although nothing failed"
                : null;
    }
}
