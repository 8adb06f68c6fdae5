package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The health of controllers and caches. It is up if every controller runs, or another process leads, and no cache has
 * been failing for a minute. Otherwise it is out of service, and its details name each such cache with the reason.
 */
final class CachesHealthIndicator implements HealthIndicator {
    private static final Duration TOLERATED = Duration.ofMinutes(1);

    private final BooleanSupplier running;
    private final BooleanSupplier standsBy;
    private final Supplier<List<String>> waitingFor;
    private final List<InformerStates> informers;
    private final Clock clock;

    /**
     * @param running whether every controller runs
     * @param standsBy whether another process leads, so that no controller has to run
     * @param waitingFor the reasons why controllers do not run yet
     */
    CachesHealthIndicator(BooleanSupplier running, BooleanSupplier standsBy, Supplier<List<String>> waitingFor,
            List<InformerStates> informers, Clock clock) {
        this.running = running;
        this.standsBy = standsBy;
        this.waitingFor = waitingFor;
        this.informers = informers;
        this.clock = clock;
    }

    @Override
    public Health health() {
        boolean allRun = running.getAsBoolean();
        List<String> waiting = allRun ? List.of() : waitingFor.get();
        List<String> stale = new ArrayList<>();
        Map<String, Object> caches = new TreeMap<>();
        for (InformerStates source : informers) {
            for (InformerState state : source.states()) {
                caches.put(state.name(), describe(state));
                if (isStale(state)) {
                    stale.add(state.name() + ": " + state.lastError());
                }
            }
        }
        boolean ready = (allRun || standsBy.getAsBoolean()) && stale.isEmpty();
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

    /** Whether a cache has been failing for so long that its content may be outdated. */
    private boolean isStale(InformerState state) {
        return state.synced() && state.lastError() != null && state.lastEvent() != null
                && Duration.between(state.lastEvent(), clock.now()).compareTo(TOLERATED) > 0;
    }
}
