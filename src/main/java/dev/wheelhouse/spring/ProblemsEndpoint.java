package dev.wheelhouse.spring;

import java.util.List;
import java.util.Map;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

import dev.wheelhouse.console.ClusterHealth;
import dev.wheelhouse.console.ProblemLine;

/**
 * The objects that are not well under {@code /actuator/problems}, the worst first. Causes quote objects, so only
 * authorized clients see any of it ({@link ManagementGuard}).
 */
@Endpoint(id = "problems")
record ProblemsEndpoint(ClusterHealth health) {
    @ReadOperation
    public Map<String, List<ProblemLine>> problems() {
        return Map.of("problems",
                health.now().problems().stream().map(problem -> ProblemLine.of(problem, true)).toList());
    }
}
