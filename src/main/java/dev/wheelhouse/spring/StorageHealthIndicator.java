package dev.wheelhouse.spring;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health of the embedded API server's storage: out of service, with the reason, while the storage takes no writes.
 * It is always up if there is no embedded API server.
 */
final class StorageHealthIndicator implements HealthIndicator {
    private final Supplier<@Nullable String> problem;

    StorageHealthIndicator(Supplier<@Nullable String> problem) {
        this.problem = problem;
    }

    @Override
    public Health health() {
        String found = problem.get();
        return found == null
                ? Health.up().build()
                : Health.outOfService().withDetail("reason", "writes are refused: " + found).build();
    }
}
