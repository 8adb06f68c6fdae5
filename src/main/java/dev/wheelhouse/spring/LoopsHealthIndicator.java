package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import dev.wheelhouse.runtime.LoopRunner;

/**
 * The health of the loops. It is down while one step of a loop has lasted for longer than the deadlines of all requests
 * in it, because only a restart ends that. The details, and the log once for each such loop, show the stack of the
 * loop's thread. Thread safe.
 */
final class LoopsHealthIndicator implements HealthIndicator {
    private static final Logger log = LoggerFactory.getLogger(LoopsHealthIndicator.class);

    private final LoopRunner runner;
    private final Duration deadline;
    private final Set<String> logged = new HashSet<>();

    /** @param deadline the time after which a step counts as standing still */
    LoopsHealthIndicator(LoopRunner runner, Duration deadline) {
        this.runner = runner;
        this.deadline = deadline;
    }

    @Override
    public synchronized Health health() {
        List<LoopRunner.Standing> standing = runner.standing(deadline);
        logged.retainAll(standing.stream().map(LoopRunner.Standing::loop).collect(Collectors.toSet()));
        if (standing.isEmpty()) {
            return Health.up().build();
        }
        Health.Builder down = Health.down();
        for (LoopRunner.Standing loop : standing) {
            List<String> stack = loop.stack().stream().map(StackTraceElement::toString).toList();
            down.withDetail(loop.loop(), List.of("one step has lasted for " + loop.age().toSeconds() + " s", stack));
            if (logged.add(loop.loop())) {
                log.error("the loop {} stands still: one step has lasted for {} s, so liveness fails:\n\tat {}",
                        loop.loop(), loop.age().toSeconds(), String.join("\n\tat ", stack));
            }
        }
        return down.build();
    }
}
