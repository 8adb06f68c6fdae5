package dev.wheelhouse.spring;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Out of service, with the reason, while the storage of the embedded API server takes no writes; up where there is no such
 * server.
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
